/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of the source tree, kept in the binary.
 *
 * scripts/embed.sh writes an array of these for each set of files in the Makefile's EMBED list. The
 * array is sorted by name and ends with an entry whose name is NULL.  Everything in it is constant
 * and lives as long as the program.
 */
#ifndef HARNESS_BASE_EMBED_H
#define HARNESS_BASE_EMBED_H

#include <stddef.h>

struct embed {
	const char *name;	   /* path below the set's folder: "migrate/0001-start.sql" */
	const unsigned char *data; /* followed by a NUL, so that a text file is a C string */
	size_t len;		   /* bytes, without that NUL */
};

#endif
