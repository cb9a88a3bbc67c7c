/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/alike.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "reports/alike_values.h"

static const char *const alike_words[ALIKE_KINDS] = {
	[ALIKE_MACHINE] = "machine",
	[ALIKE_CPU] = "cpu",
	[ALIKE_MICROCODE] = "microcode",
	[ALIKE_FIRMWARE] = "firmware",
	[ALIKE_CPUS] = "cpus",
	[ALIKE_ITERATIONS] = "iterations",
	[ALIKE_ARGS] = "args",
	[ALIKE_SHORTHAND] = "shorthand",
	[ALIKE_DEBUG] = "debug",
	[ALIKE_EMULATOR] = "emulator",
};

static int alike_unknown(const char *word, struct err *e)
{
	const char *names[ALIKE_KINDS + 1], *near;
	struct buf list;
	int rc;

	buf_init(&list, 1024);
	for (size_t i = 0; i < ALIKE_KINDS; i++) {
		names[i] = alike_words[i];
		buf_addf(&list, "%s, ", alike_words[i]);
	}
	names[ALIKE_KINDS] = "all";
	near = str_nearest(word, names, ALIKE_KINDS + 1);
	if (near)
		rc = err_set(e, ERR_USAGE, NULL,
			"--allow: unknown word \"%s\" (did you mean \"%s\"?)", word, near);
	else
		rc = err_set(e, ERR_USAGE, NULL, "--allow: unknown word \"%s\"; it takes %sor all",
			word, list.data);
	buf_release(&list);
	return rc;
}

int alike_allow(const char *list, alike_set *out, struct err *e)
{
	char *words = mem_strdup(list), *next = words, *w;
	alike_set set = 0;
	int rc = 0;

	while (!rc && (w = strsep(&next, ","))) {
		size_t i = 0;

		while (i < ALIKE_KINDS && strcmp(w, alike_words[i]) != 0)
			i++;
		if (i < ALIKE_KINDS)
			set |= 1U << i;
		else if (!strcmp(w, "all"))
			set |= ALIKE_ALL;
		else
			rc = alike_unknown(w, e);
	}
	if (!rc)
		*out = set;
	free(words);
	return rc;
}

/* The refusal: the first kind that differs and is not allowed, and the words that take it all. */
static int alike_refuse(const struct alike_values *first, enum alike_kind kind, alike_set differ,
	alike_set allow, struct err *e)
{
	struct buf values, others, words;
	int rc;

	buf_init(&values, ALIKE_TEXT_MAX);
	buf_init(&others, ALIKE_TEXT_MAX);
	buf_init(&words, ALIKE_TEXT_MAX);
	alike_values_pair(first, &values);
	for (size_t i = 0; i < ALIKE_KINDS; i++) {
		if (!(differ & 1U << i))
			continue;
		buf_addf(&words, "%s%s", words.len ? "," : "", alike_words[i]);
		if (i != kind && !(allow & 1U << i))
			buf_addf(&others, "%s%s", others.len ? ", " : "; also ", alike_words[i]);
	}
	rc = err_set(e, ERR_MEASURE, "E_DIFFERS",
		"%s differs: %s%s; --allow %s compares them all the same", alike_words[kind],
		values.data, others.data, words.data);
	buf_release(&values);
	buf_release(&others);
	buf_release(&words);
	return rc;
}

static int alike_workload(const struct comparison *c, struct err *e)
{
	struct alike_values v;
	struct buf b;
	int rc = 0;

	buf_init(&b, ALIKE_TEXT_MAX);
	alike_values_init(&v, c, alike_get_workload);
	if (v.n > 1) {
		alike_values_pair(&v, &b);
		rc = err_set(e, ERR_MEASURE, "E_DIFFERS",
			"workload differs: %s; times of different work cannot be compared", b.data);
	}
	alike_values_release(&v);
	buf_release(&b);
	return rc;
}

static void alike_note(
	const struct comparison *c, alike_get *get, const char *label, struct buf *out)
{
	struct alike_values v;

	alike_values_init(&v, c, get);
	if (v.n > 1) {
		buf_addf(out, "%s: ", label);
		alike_values_list(&v, out);
		buf_addc(out, '\n');
	}
	alike_values_release(&v);
}

/* Each run begins with a cycle, whatever its target asks for between boots: that alone is no
 * difference. */
static void alike_note_ways(const struct comparison *c, struct buf *out)
{
	struct alike_values v;

	alike_values_init(&v, c, alike_get_later_way);
	if (v.n > 1)
		alike_note(c, alike_get_way, "between boots", out);
	alike_values_release(&v);
}

int alike_check(const struct comparison *c, alike_set allow, struct buf *out, struct err *e)
{
	static const struct {
		alike_get *get;
		const char *label;
	} notes[] = {{alike_get_compiler, "compiler"}, {alike_get_probe, "probe version"},
		{alike_get_timer, "platform timer"}, {alike_get_sampling, "sampling"}};
	struct alike_values values[ALIKE_KINDS];
	alike_set differ = 0;
	int rc = alike_workload(c, e);

	if (rc)
		return rc;
	for (size_t i = 0; i < ALIKE_KINDS; i++) {
		alike_values_init(&values[i], c, alike_getters[i]);
		values[i].words = i == ALIKE_ARGS;
		differ |= values[i].n > 1 ? 1U << i : 0;
	}
	for (size_t i = 0; i < ALIKE_KINDS && !rc; i++)
		if (differ & ~allow & 1U << i)
			rc = alike_refuse(&values[i], (enum alike_kind)i, differ, allow, e);
	for (size_t i = 0; i < ALIKE_KINDS; i++) {
		if (!rc && values[i].n > 1) {
			buf_addf(out, "%s: ", alike_words[i]);
			alike_values_list(&values[i], out);
			buf_addc(out, '\n');
		}
		alike_values_release(&values[i]);
	}
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]) && !rc; i++)
		alike_note(c, notes[i].get, notes[i].label, out);
	if (!rc)
		alike_note_ways(c, out);
	return rc;
}
