/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/bisect/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"

static const char log_first[] = "# harness bisect 1 begun=", log_verb[] = "git bisect ";

static void log_line_of(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text);
	str_clean(to);
}

void bisect_log_release(struct bisect_log *l)
{
	free(l->v);
	l->v = NULL;
	l->n = 0;
}

void bisect_log_add(
	struct bisect_log *l, const char *commit, enum walk_word word, const char *evidence)
{
	struct log_entry *en;

	l->v = mem_grow(l->v, l->n + 1, sizeof(*l->v));
	en = &l->v[l->n++];
	snprintf(en->mark.commit, sizeof(en->mark.commit), "%s", commit);
	en->mark.word = word;
	log_line_of(en->evidence, sizeof(en->evidence), evidence);
}

void bisect_log_end(struct bisect_log *l, const char *text)
{
	log_line_of(l->end, sizeof(l->end), text);
}

void bisect_log_marks(const struct bisect_log *l, struct walk_marks *m)
{
	m->n = l->n;
	m->v = mem_array(l->n + 1, sizeof(*m->v));
	for (size_t i = 0; i < l->n; i++)
		m->v[i] = l->v[i].mark;
}

const struct log_entry *bisect_log_find(const struct bisect_log *l, const char *commit)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].mark.commit, commit))
			return &l->v[i];
	return NULL;
}

void bisect_log_text(const struct bisect_log *l, struct buf *out)
{
	buf_addf(out, "%s%lld fresh=%d\n# %s\ngit bisect start\n", log_first,
		(long long)l->begun_ns, l->fresh, l->about);
	for (size_t i = 0; i < l->n; i++) {
		const char *word = walk_word_name(l->v[i].mark.word);

		buf_addf(out, "# %s: %s\n%s%s %s\n", word, l->v[i].evidence, log_verb, word,
			l->v[i].mark.commit);
	}
	if (*l->end)
		buf_addf(out, "# %s\n", l->end);
}

/* The next line, which is cut off at its end; NULL when there is none. */
static char *log_next(char **at)
{
	char *line = *at, *end;

	if (!*line)
		return NULL;
	end = line + strcspn(line, "\n");
	*at = end + (*end == '\n');
	*end = '\0';
	return line;
}

static bool log_head(struct bisect_log *l, char **at)
{
	char *line = log_next(at), *fresh;
	int64_t f;

	if (!line || strncmp(line, log_first, sizeof(log_first) - 1) != 0)
		return false;
	line += sizeof(log_first) - 1;
	fresh = strstr(line, " fresh=");
	if (!fresh)
		return false;
	*fresh = '\0';
	if (str_int(line, 0, INT64_MAX, &l->begun_ns) || str_int(fresh + 7, 0, 1, &f))
		return false;
	l->fresh = f;
	line = log_next(at);
	if (!line || strncmp(line, "# ", 2) != 0)
		return false;
	log_line_of(l->about, sizeof(l->about), line + 2);
	line = log_next(at);
	return line && !strcmp(line, "git bisect start");
}

static bool log_is_hash(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return !s[n] && n >= 40 && n < GIT_HASH_MAX;
}

/* "# WORD: EVIDENCE" and "git bisect WORD HASH". */
static bool log_pair(struct bisect_log *l, const char *comment, const char *line)
{
	for (enum walk_word w = WALK_GOOD; w <= WALK_SKIP; w++) {
		const char *name = walk_word_name(w);
		size_t n = strlen(name);

		if (strncmp(line, name, n) != 0 || line[n] != ' ' || !log_is_hash(line + n + 1))
			continue;
		if (strncmp(comment, name, n) != 0 || strncmp(comment + n, ": ", 2) != 0)
			return false;
		bisect_log_add(l, line + n + 1, w, comment + n + 2);
		return true;
	}
	return false;
}

int bisect_log_parse(struct bisect_log *l, const char *text, const char *file, struct err *e)
{
	char *copy = mem_strdup(text), *at = copy, *line;
	bool fine;

	*l = (struct bisect_log){.begun_ns = 0};
	fine = log_head(l, &at);
	while (fine && (line = log_next(&at))) {
		char *next;

		fine = !strncmp(line, "# ", 2);
		if (!fine)
			break;
		next = log_next(&at);
		if (!next)
			bisect_log_end(l, line + 2);
		else
			fine = !strncmp(next, log_verb, sizeof(log_verb) - 1) &&
			       log_pair(l, line + 2, next + sizeof(log_verb) - 1);
	}
	free(copy);
	return fine ? 0
		    : err_set(e, ERR_LAB, "E_STATE",
			      "%s is not as harness wrote it: remove it to begin anew (what is "
			      "stored is not measured again)",
			      file);
}
