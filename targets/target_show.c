/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "targets/target_show.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "targets/target_console.h"
#include "targets/target_keys.h"

enum { VALUE_MAX = 2048 };

/* Does the key say anything about this machine? */
static bool show_applies(const struct target *t, const struct target_key *k)
{
	if (!strcmp(k->section, "lab"))
		return t->lab.present;
	if (!strcmp(k->section, "console") && !target_console_takes(t, k->name))
		return false;
	return !(t->lab.present && (k->need == NEED_REAL || k->need == NO_LAB));
}

static void show_value(const struct target *t, const struct target_key *k, struct buf *out)
{
	target_key_get(t, k, out);
	if (out->len && k->type == KEY_SECRET && k->min == SECRET_COMMAND) {
		buf_clear(out);
		buf_adds(out, "(not shown)");
	}
}

/* inih takes no longer line; later lines of a value are indented. */
static void show_wrapped(const char *value, size_t at, struct buf *out)
{
	while (*value) {
		size_t room = 180 - at, n = strlen(value);

		if (n > room) {
			n = room;
			while (n && value[n] != ' ')
				n--;
			if (!n)
				n = strcspn(value, " ");
		}
		buf_add(out, value, n);
		value += n;
		value += strspn(value, " ");
		if (*value)
			buf_adds(out, "\n  ");
		at = 2;
	}
}

void target_show_ini(const struct target *t, struct buf *out)
{
	const char *section = "";
	struct buf v;

	buf_init(&v, VALUE_MAX);
	buf_addf(out, "# %s: %s\n", t->name, t->file);
	for (size_t i = 0; i < target_keys_n; i++) {
		const struct target_key *k = &target_keys[i];

		if (!show_applies(t, k))
			continue;
		if (strcmp(k->section, section)) {
			section = k->section;
			buf_addf(out, "\n[%s]\n", section);
		}
		buf_clear(&v);
		show_value(t, k, &v);
		if (v.len) {
			buf_addf(out, "%s = ", k->name);
			show_wrapped(v.data, strlen(k->name) + 3, out);
			buf_addc(out, '\n');
		} else {
			buf_addf(out, "# %s =\n", k->name);
		}
	}
	buf_release(&v);
}

static json_t *show_json_value(const struct target *t, const struct target_key *k, struct buf *v)
{
	buf_clear(v);
	show_value(t, k, v);
	switch (k->type) {
	case KEY_INT:
		return v->len ? json_integer(strtoll(v->data, NULL, 10)) : json_null();
	case KEY_BOOL:
		return json_boolean(!strcmp(v->data, "yes"));
	default:
		return v->len ? json_string(v->data) : json_null();
	}
}

void target_show_json(const struct target *t, struct buf *out)
{
	json_t *settings = json_object(), *section, *o;
	struct buf v;
	char *text;

	buf_init(&v, VALUE_MAX);
	for (size_t i = 0; i < target_keys_n; i++) {
		const struct target_key *k = &target_keys[i];

		if (!show_applies(t, k))
			continue;
		section = json_object_get(settings, k->section);
		if (!section) {
			section = json_object();
			json_object_set_new(settings, k->section, section);
		}
		json_object_set_new(section, k->name, show_json_value(t, k, &v));
	}
	o = json_pack("{s:s, s:s, s:b, s:o}", "name", t->name, "file", t->file, "virtual",
		t->lab.present, "settings", settings);
	text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
	if (text)
		buf_addf(out, "%s\n", text);
	free(text);
	json_decref(o);
	buf_release(&v);
}
