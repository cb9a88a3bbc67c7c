/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/mends.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"

enum { LINE_MAX_BYTES = 400 };

void mends_release(struct mends *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->line[i]);
	free(m->line);
	for (size_t i = 0; i < m->n_doubts; i++)
		free(m->doubts[i].path);
	free(m->doubts);
	*m = (struct mends){0};
}

static void mends_put(struct mends *m, const char *text)
{
	if (m->n < MENDS_MAX) {
		m->line = mem_grow(m->line, m->n + 1, sizeof(*m->line));
		m->line[m->n++] = mem_strdup(text);
		return;
	}
	free(m->line[MENDS_MAX - 1]);
	m->line[MENDS_MAX - 1] = mem_printf("and %zu more", ++m->more + 1);
}

void mends_add(struct mends *m, const char *fmt, ...)
{
	char text[LINE_MAX_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	str_clean(text);
	mends_put(m, text);
}

void mends_doubt(struct mends *m, const char *path, size_t line)
{
	if (m->n_doubts && !strcmp(m->doubts[m->n_doubts - 1].path, path))
		return;
	m->doubts = mem_grow(m->doubts, m->n_doubts + 1, sizeof(*m->doubts));
	m->doubts[m->n_doubts++] = (struct mends_doubt){.path = mem_strdup(path), .line = line};
}

void mends_join(struct mends *m, const struct mends *other)
{
	for (size_t i = 0; i < other->n; i++)
		mends_put(m, other->line[i]);
}
