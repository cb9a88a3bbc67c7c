/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/alike_values.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

enum {
	ALIKE_SHOWN = 4, /* values that are listed, and runs of each */
	ALIKE_CUT = 160, /* bytes of one value */
};

static void alike_values_add(
	struct alike_values *v, const char *text, const struct comparison_boot *b)
{
	struct alike_value *d = NULL;
	struct alike_place *p;

	for (size_t i = 0; i < v->n && !d; i++)
		if (!strcmp(v->list[i].text, text))
			d = &v->list[i];
	if (!d) {
		v->list = mem_grow(v->list, v->n + 1, sizeof(*v->list));
		d = &v->list[v->n++];
		*d = (struct alike_value){.text = mem_strdup(text)};
	}
	for (size_t i = 0; i < d->n_places; i++)
		if (!strcmp(d->places[i].run->uuid, b->run->uuid) &&
			!strcmp(d->places[i].build, b->boot->r.build)) {
			d->places[i].boots++;
			return;
		}
	d->places = mem_grow(d->places, d->n_places + 1, sizeof(*d->places));
	p = &d->places[d->n_places++];
	*p = (struct alike_place){
		.run = b->run, .build = b->boot->r.build, .first = b->boot->number, .boots = 1};
}

void alike_values_init(struct alike_values *v, const struct comparison *c, alike_get *get)
{
	struct buf text;

	*v = (struct alike_values){.list = NULL};
	buf_init(&text, ALIKE_TEXT_MAX);
	for (size_t i = 0; i < c->n_sets; i++)
		for (size_t j = 0; j < c->sets[i].n_boots; j++) {
			buf_clear(&text);
			get(&c->sets[i].boots[j], &text);
			if (!text.len)
				buf_adds(&text, "unknown");
			alike_values_add(v, text.data, &c->sets[i].boots[j]);
		}
	buf_release(&text);
}

void alike_values_release(struct alike_values *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->list[i].text);
		free(v->list[i].places);
	}
	free(v->list);
	*v = (struct alike_values){.list = NULL};
}

/* Bytes at the front that are the same words. */
static size_t alike_head(const char *a, const char *b)
{
	size_t at = 0;

	for (;;) {
		size_t n = strcspn(a + at, " ");

		if (!n || n != strcspn(b + at, " ") || memcmp(a + at, b + at, n) != 0)
			return at;
		at += n;
		if (a[at] != ' ' || b[at] != ' ')
			return at;
		at++;
	}
}

/* Bytes at the end that are the same words. */
static size_t alike_tail(const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), same = 0;

	for (size_t n = 1; n <= na && n <= nb && a[na - n] == b[nb - n]; n++)
		if ((n == na || a[na - n - 1] == ' ') && (n == nb || b[nb - n - 1] == ' '))
			same = n;
	return same;
}

/* What all values have in common, in whole words: bytes at the front and bytes at the end. */
static void alike_common(const struct alike_values *v, size_t *head, size_t *tail)
{
	size_t n;

	*head = *tail = v->words && v->n > 1 ? strlen(v->list[0].text) : 0;
	for (size_t i = 1; i < v->n; i++) {
		n = alike_head(v->list[0].text, v->list[i].text);
		*head = n < *head ? n : *head;
	}
	for (size_t i = 1; i < v->n; i++) {
		n = alike_tail(v->list[0].text + *head, v->list[i].text + *head);
		*tail = n < *tail ? n : *tail;
	}
}

static void alike_text(struct buf *out, const char *text, size_t head, size_t tail)
{
	size_t n = strlen(text) - tail;

	while (head < n && text[head] == ' ')
		head++;
	while (n > head && text[n - 1] == ' ')
		n--;
	if (head == n)
		buf_adds(out, "nothing");
	else if (n - head > ALIKE_CUT)
		buf_addf(out, "%.*s…", ALIKE_CUT, text + head);
	else
		buf_addf(out, "%.*s", (int)(n - head), text + head);
}

void alike_values_pair(const struct alike_values *v, struct buf *out)
{
	bool same = v->list[0].places[0].run == v->list[1].places[0].run;
	size_t head, tail;

	alike_common(v, &head, &tail);
	for (size_t i = 0; i < 2; i++) {
		const struct alike_place *p = &v->list[i].places[0];

		buf_adds(out, i ? ", " : "");
		alike_text(out, v->list[i].text, head, tail);
		if (same)
			buf_addf(out, " in boot %d of run %s", p->first, p->run->id);
		else
			buf_addf(out, " in run %s", p->run->id);
	}
}

static void alike_places(struct buf *out, const struct alike_value *d)
{
	for (size_t i = 0; i < d->n_places && i < ALIKE_SHOWN; i++) {
		const struct alike_place *p = &d->places[i];

		buf_addf(out, "%s%s%s%s (%zu boot%s)", i ? ", " : " in ", p->run->id,
			*p->build ? " " : "", p->build, p->boots, p->boots == 1 ? "" : "s");
	}
	if (d->n_places > ALIKE_SHOWN)
		buf_addf(out, " and %zu more runs", d->n_places - ALIKE_SHOWN);
}

void alike_values_list(const struct alike_values *v, struct buf *out)
{
	size_t head, tail;

	alike_common(v, &head, &tail);
	for (size_t i = 0; i < v->n && i < ALIKE_SHOWN; i++) {
		buf_adds(out, i ? "; " : "");
		alike_text(out, v->list[i].text, head, tail);
		alike_places(out, &v->list[i]);
	}
	if (v->n > ALIKE_SHOWN)
		buf_addf(out, "; %zu more values", v->n - ALIKE_SHOWN);
}
