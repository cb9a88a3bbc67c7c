/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_private.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

#define TEXT(field) \
	{ \
#field, offsetof(struct facts, field), sizeof(((struct facts *)0)->field), true \
	}
#define INT(field) \
	{ \
#field, offsetof(struct facts, field), sizeof(((struct facts *)0)->field), false \
	}

static const struct json_field {
	const char *key;
	size_t offset, size;
	bool text; /* else an int or int64_t, by its size */
} json_fields[] = {TEXT(hypervisor), TEXT(build_id), TEXT(changeset), TEXT(compiler),
	TEXT(apic_driver), TEXT(cpu_model), TEXT(cpu_vendor), TEXT(microcode), TEXT(platform_timer),
	TEXT(mode_reason), INT(cpus_online), INT(cpus_present), INT(sockets), INT(clusters),
	INT(target_cpus), INT(tsc_khz), INT(debug), INT(shorthand)};

enum { JSON_FIELDS = sizeof(json_fields) / sizeof(json_fields[0]) };

static char *json_text(json_t *root)
{
	char *s = json_dumps(root, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(root);
	return s ? s : mem_strdup("{}");
}

/* A console may have put any byte into a fact, and JSON is UTF-8: what is not ASCII becomes '?'. */
static json_t *json_ascii(const char *s)
{
	char *copy = mem_strdup(s);
	json_t *v;

	for (char *p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	v = json_string(copy);
	free(copy);
	return v;
}

char *store_stages_text(const struct stage_time stages[STAGE_COUNT])
{
	json_t *root = json_object();

	for (int i = 0; i < STAGE_COUNT; i++)
		if (stages[i].reached)
			json_object_set_new(root, stage_name((enum stage)i),
				json_pack("{s:I, s:I, s:I}", "start",
					(json_int_t)stages[i].start_ns, "ns",
					(json_int_t)stages[i].ns, "settle",
					(json_int_t)stages[i].settle_ns));
	return json_text(root);
}

void store_stages_parse(const char *text, struct stage_time stages[STAGE_COUNT])
{
	json_t *root = json_loads(text, 0, NULL);

	for (int i = 0; i < STAGE_COUNT; i++) {
		json_t *o = json_object_get(root, stage_name((enum stage)i));

		stages[i] = (struct stage_time){.reached = json_is_object(o),
			.start_ns = json_integer_value(json_object_get(o, "start")),
			.ns = json_integer_value(json_object_get(o, "ns")),
			.settle_ns = json_integer_value(json_object_get(o, "settle"))};
	}
	json_decref(root);
}

char *store_facts_text(const struct facts *f)
{
	json_t *root = json_object();

	for (size_t i = 0; i < JSON_FIELDS; i++) {
		const struct json_field *d = &json_fields[i];
		const char *at = (const char *)f + d->offset;
		int64_t v = 0;
		int n = 0;

		if (d->text) {
			if (*at)
				json_object_set_new(root, d->key, json_ascii(at));
			continue;
		}
		if (d->size == sizeof(v)) {
			memcpy(&v, at, sizeof(v));
		} else {
			memcpy(&n, at, sizeof(n));
			v = n;
		}
		json_object_set_new(root, d->key, json_integer(v));
	}
	return json_text(root);
}

void store_facts_parse(const char *text, struct facts *f)
{
	json_t *root = json_loads(text, 0, NULL);

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < JSON_FIELDS; i++) {
		const struct json_field *d = &json_fields[i];
		json_t *o = json_object_get(root, d->key);
		char *at = (char *)f + d->offset;
		int64_t v = json_is_integer(o) ? json_integer_value(o) : -1;
		int n = (int)v;

		if (d->text)
			snprintf(at, d->size, "%s", json_is_string(o) ? json_string_value(o) : "");
		else if (d->size == sizeof(v))
			memcpy(at, &v, sizeof(v));
		else
			memcpy(at, &n, sizeof(n));
	}
	json_decref(root);
}
