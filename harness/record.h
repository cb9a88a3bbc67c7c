/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One record of the probe protocol (firmware-images/PROTOCOL.md), found and checked.
 *
 *   HPP1 <nonce8> <seq> <TYPE> key=value … #<crc32>
 *
 * A struct record borrows from the line that it was found in, and exists only when the checksum and
 * the grammar are right.  Pure.
 */
#ifndef HARNESS_RECORD_H
#define HARNESS_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RECORD_MAX = 240, RECORD_NONCE = 8 };

struct record {
	const char *text; /* from "HPP1" to before " #", len bytes: what the checksum covers */
	size_t len;
	char nonce8[RECORD_NONCE + 1];
	uint32_t seq;
	const char *type; /* type_len bytes */
	size_t type_len;
	const char *fields; /* the rest of the text: each field with the blank before it */
	size_t fields_len;
};

/* The first valid record in [p, p + n), or false.  *next is set to where to look for another;
 * *damaged grows by the markers that no valid record followed. */
bool record_find(const char *p, size_t n, struct record *r, const char **next, int *damaged);

/* Take a text apart whose checksum is known to be right.  False when the grammar is broken. */
bool record_parse(const char *text, size_t len, struct record *r);

bool record_is(const struct record *r, const char *type);

/* The value of a key.  -1 when it is missing, there twice, or does not fit (out untouched). */
int record_get(const struct record *r, const char *key, char *out, size_t size);
/* The same as a decimal number within [lo, hi]. */
int record_int(const struct record *r, const char *key, int64_t lo, int64_t hi, int64_t *out);

#endif
