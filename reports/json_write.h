/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON piece by piece, for documents that are too large to be held as objects: laid out as
 * json_dumps() of jansson does with JSON_INDENT and 17 digits.
 *
 *	json_write_init(&w, &out, 1);
 *	json_write_open(&w, NULL, '{');
 *	json_write_put(&w, "modes", modes);
 *	json_write_open(&w, "boots", '[');
 *	...
 *	json_write_close(&w, ']');
 *	json_write_close(&w, '}');
 *
 * What does not fit marks the buffer as failed.
 */
#ifndef HARNESS_REPORTS_JSON_WRITE_H
#define HARNESS_REPORTS_JSON_WRITE_H

#include <jansson.h>

#include "harness/base/buf.h"

/* Plain data. */
struct json_write {
	struct buf *out; /* borrowed; only added to */
	int indent, depth;
	bool any; /* something stands in what is open */
};

void json_write_init(struct json_write *w, struct buf *out, int indent);

/* bracket: '{' or '['; key: NULL in a list and at the top, else without what JSON escapes. */
void json_write_open(struct json_write *w, const char *key, char bracket);
void json_write_close(struct json_write *w, char bracket); /* '}' or ']' */

/* A value and all that is in it; takes it. */
void json_write_put(struct json_write *w, const char *key, json_t *value);

/* All members of an object, into the one that is open; takes it. */
void json_write_members(struct json_write *w, json_t *object);

/* A token as it stands: a number, "true", a string with its quotes. */
void json_write_token(struct json_write *w, const char *key, const char *token);

#endif
