/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a request that need reading.  Pure; safe for any input. */
#ifndef HARNESS_NETBOOT_PARSE_H
#define HARNESS_NETBOOT_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NETBOOT_TOKEN = 32, NETBOOT_PATH_MAX = 512 };

enum netboot_range { RANGE_ALL, RANGE_PART, RANGE_BAD };

/* The value of a Range header for a file of this size.  RANGE_PART: *from and *len (> 0) are set.
 * RANGE_BAD: no byte of it exists (416).  What is not one range of bytes is ignored (RFC 9110,
 * section 14.2): RANGE_ALL. */
enum netboot_range netboot_range(const char *value, uint64_t size, uint64_t *from, uint64_t *len);

/* Twelve hex digits, with ':' or '-' between all bytes or none: lower case with colons in out.
 * Returns 0, or -1 with out untouched. */
int netboot_mac(const char *text, char out[18]);

/* "/b/<token>/<file>": *token points to NETBOOT_TOKEN characters, *file to the rest. */
bool netboot_path(const char *path, const char **token, const char **file);

/* "address:port" or "[v6]:port", the address numeric.  host holds 64 bytes.  Returns 0 or -1. */
int netboot_listen(const char *text, char host[64], int *port);

#endif
