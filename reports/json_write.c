/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/json_write.h"

#include <stdlib.h>

void json_write_init(struct json_write *w, struct buf *out, int indent)
{
	*w = (struct json_write){.out = out, .indent = indent};
}

static void write_line(struct json_write *w)
{
	buf_addc(w->out, '\n');
	for (int i = 0; i < w->indent * w->depth; i++)
		buf_addc(w->out, ' ');
}

static void write_key(struct json_write *w, const char *key)
{
	if (w->any)
		buf_addc(w->out, ',');
	if (w->depth)
		write_line(w);
	if (key) {
		buf_addc(w->out, '"');
		buf_adds(w->out, key);
		buf_adds(w->out, "\": ");
	}
	w->any = true;
}

void json_write_open(struct json_write *w, const char *key, char bracket)
{
	write_key(w, key);
	buf_addc(w->out, bracket);
	w->depth++;
	w->any = false;
}

void json_write_close(struct json_write *w, char bracket)
{
	w->depth--;
	if (w->any)
		write_line(w);
	buf_addc(w->out, bracket);
	w->any = true;
}

void json_write_token(struct json_write *w, const char *key, const char *token)
{
	write_key(w, key);
	buf_adds(w->out, token);
}

static void write_value(struct json_write *w, const char *key, json_t *value);

static void write_object(struct json_write *w, json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) write_value(w, key, value);
}

static void write_value(struct json_write *w, const char *key, json_t *value)
{
	json_t *one;
	char *text;
	size_t i;

	switch (json_typeof(value)) {
	case JSON_OBJECT:
		json_write_open(w, key, '{');
		write_object(w, value);
		json_write_close(w, '}');
		break;
	case JSON_ARRAY:
		json_write_open(w, key, '[');
		json_array_foreach(value, i, one) write_value(w, NULL, one);
		json_write_close(w, ']');
		break;
	default:
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
		/* Nothing in it can fail but an allocation. */
		if (text)
			json_write_token(w, key, text);
		else
			w->out->failed = true;
		free(text);
		break;
	}
}

void json_write_put(struct json_write *w, const char *key, json_t *value)
{
	write_value(w, key, value);
	json_decref(value);
}

void json_write_members(struct json_write *w, json_t *object)
{
	write_object(w, object);
	json_decref(object);
}
