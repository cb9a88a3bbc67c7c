/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "targets/target_ini.h"

#include <assert.h>
#include <ctype.h>
#include <ini.h>
#include <string.h>

#include "harness/base/str.h"

enum { VALUE_MAX = 1024, SECTIONS_MAX = 16, SECTION_MAX = 32 };

struct ini {
	struct target *t;
	struct target_lines *lines;
	const char *file, *text;
	size_t len, at;
	int line; /* the line that inih was given last */
	bool indented;
	char seen[SECTIONS_MAX][SECTION_MAX];
	int n_seen;
	const struct target_key *key; /* of the value that is being collected */
	struct buf value;
	struct err *e;
};

#define ini_fail(p, where, ...) ini_fail_at(p, where, err_set((p)->e, ERR_USAGE, NULL, __VA_ARGS__))

/* The first failure counts; a reader that has failed gives inih no more lines. */
static int ini_fail_at(struct ini *p, int line, int rc)
{
	(void)err_prefix(p->e, "%s:%d", p->file, line);
	return rc;
}

static void ini_unknown(struct ini *p, int line, const char *what, const char *word,
	const char *where, const char *const *names, size_t n)
{
	const char *near = str_nearest(word, names, n);

	if (near)
		ini_fail(p, line, "unknown %s \"%.60s\"%s (did you mean \"%s\"?)", what, word,
			where, near);
	else
		ini_fail(p, line, "unknown %s \"%.60s\"%s; targets/README.md lists all", what, word,
			where);
}

/* The value is complete once the next key, section or the end of the file comes. */
static int ini_finish_value(struct ini *p)
{
	const struct target_key *k = p->key;
	struct buf why;
	int rc = 0, line;

	p->key = NULL;
	if (!k || p->e->cls)
		return -(int)p->e->cls;
	line = p->lines->line[k - target_keys];
	buf_init(&why, 256);
	if (p->value.failed)
		rc = ini_fail(p, line, "%s is longer than %d bytes", k->name, VALUE_MAX);
	else if (k->type == KEY_SECRET && p->t->bmc.password_kind != SECRET_NONE)
		rc = ini_fail(p, line,
			"a second source for the password: give only one of password_file, "
			"password_env and password_command");
	else if (target_key_set(p->t, k, p->value.data, &why))
		/* What stands in a password's place is never repeated. */
		rc = k->type == KEY_SECRET
			     ? ini_fail(p, line, "bad %s: must be %s", k->name, why.data)
			     : ini_fail(p, line, "bad value \"%.80s\" for %s: must be %s",
				       p->value.data, k->name, why.data);
	buf_release(&why);
	return rc;
}

static void ini_unknown_key(struct ini *p, const char *section, const char *name)
{
	const struct target_key *other = target_key_anywhere(name);
	const char *names[TARGET_KEYS_MAX];
	char where[64];

	if (!strcmp(name, "password") || !strcmp(name, "passwd") || !strcmp(name, "pass")) {
		ini_fail(p, p->line,
			"a target file holds no password: use password_file, password_env or "
			"password_command");
		return;
	}
	if (other) {
		ini_fail(p, p->line, "unknown key \"%s\" in [%s]: it belongs in [%s]", name,
			section, other->section);
		return;
	}
	snprintf(where, sizeof(where), " in [%s]", section);
	ini_unknown(p, p->line, "key", name, where, names, target_key_names(section, names));
}

/* Some versions of inih leave a comment at the end of an indented line, some take it away. */
static void ini_add_continued(struct ini *p, const char *value)
{
	size_t n = 0;

	while (value[n] && !(value[n] == ';' && n && isspace((unsigned char)value[n - 1])))
		n++;
	while (n && isspace((unsigned char)value[n - 1]))
		n--;
	if (p->value.len && n)
		buf_addc(&p->value, ' ');
	buf_add(&p->value, value, n);
}

/* inih calls this once a line, for a continued value with the key's name again. */
static int ini_on_line(void *user, const char *section, const char *name, const char *value)
{
	struct ini *p = user;
	const struct target_key *k;

	if (p->e->cls)
		return 0;
	if (p->indented && p->key) {
		/* Nobody who indents `key = value` means a continuation. */
		char word[SECTION_MAX] = "";
		size_t n = strcspn(value, " =:"), eq = n + strspn(value + n, " ");

		if (n && n < sizeof(word) && value[eq] == '=')
			memcpy(word, value, n);
		if (*word && target_key_anywhere(word))
			return ini_fail(p, p->line,
				       "an indented line goes on with the value before it; take "
				       "away the blanks before \"%s\"",
				       word),
			       0;
		ini_add_continued(p, value);
		return 1;
	}
	if (ini_finish_value(p))
		return 0;
	if (!*section)
		return ini_fail(
			       p, p->line, "key \"%.60s\" stands before the first [section]", name),
		       0;
	k = target_key_find(section, name);
	if (!k) {
		ini_unknown_key(p, section, name);
		return 0;
	}
	if (p->lines->line[k - target_keys])
		return ini_fail(p, p->line, "%s is given twice in [%s], first in line %d", name,
			       section, p->lines->line[k - target_keys]),
		       0;
	p->lines->line[k - target_keys] = p->line;
	p->key = k;
	buf_clear(&p->value);
	buf_adds(&p->value, value);
	return 1;
}

/* line: a section's header, n bytes without the newline. */
static int ini_section(struct ini *p, const char *line, size_t n)
{
	const char *end = memchr(line, ']', n), *names[TARGET_KEYS_MAX];
	char name[SECTION_MAX];
	size_t len, rest;

	if (!end)
		return ini_fail(p, p->line, "\"[\" without \"]\"");
	len = (size_t)(end - line) - 1;
	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : sizeof(name)),
		line + 1);
	for (rest = len + 2; rest < n && isspace((unsigned char)line[rest]); rest++)
		;
	if (rest < n && line[rest] != '#' && line[rest] != ';')
		return ini_fail(p, p->line, "text after [%s]", name);
	if (!target_section_known(name)) {
		ini_unknown(p, p->line, "section", name, "", names, target_key_names(NULL, names));
		return -1;
	}
	for (int i = 0; i < p->n_seen; i++)
		if (!strcmp(p->seen[i], name))
			return ini_fail(p, p->line, "section [%s] is given twice", name);
	assert(p->n_seen < SECTIONS_MAX);
	memcpy(p->seen[p->n_seen++], name, sizeof(name));
	if (!strcmp(name, "lab"))
		p->lines->lab = true;
	return ini_finish_value(p);
}

/* Is this one line fit for inih? */
static int ini_check_line(struct ini *p, const char *line, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)line[i];

		if (!c)
			return ini_fail(p, p->line, "holds a NUL byte: not a text file");
		if ((c < 0x20 && c != '\t' && !(c == '\r' && i == n - 1)) || c == 0x7f)
			return ini_fail(p, p->line,
				"holds the control character 0x%02x: not a text file", c);
	}
	if (n > TARGET_LINE_MAX)
		return ini_fail(p, p->line,
			"line is longer than %d bytes; go on in the next line, indented",
			TARGET_LINE_MAX);
	for (i = 0; i < n && isspace((unsigned char)line[i]); i++)
		;
	p->indented = i > 0;
	if (i == n || line[i] == '#' || line[i] == ';')
		return 0;
	if (line[i] == '[' && i)
		return ini_fail(p, p->line, "take away the blanks before \"[\"");
	if (line[i] == '[')
		return ini_section(p, line, n);
	if (p->indented && !p->key)
		return ini_fail(p, p->line, "an indented line, but no value before it");
	if (!p->indented && !memchr(line, '=', n) && !memchr(line, ':', n))
		return ini_fail(
			p, p->line, "neither \"key = value\" nor \"[section]\" nor a comment");
	return 0;
}

/* Gives inih the next line, as fgets() would. */
static char *ini_read_line(char *to, int size, void *user)
{
	struct ini *p = user;
	const char *line = p->text + p->at, *nl;
	size_t n;

	if (p->e->cls || p->at >= p->len)
		return NULL;
	nl = memchr(line, '\n', p->len - p->at);
	n = nl ? (size_t)(nl - line) : p->len - p->at;
	p->at += n + (nl != NULL);
	p->line++;
	if (ini_check_line(p, line, n))
		return NULL;
	assert(size >= TARGET_LINE_MAX + 3);
	memcpy(to, line, n);
	memcpy(to + n, "\n", 2);
	return to;
}

int target_ini_parse(struct target *t, struct target_lines *lines, const char *file,
	const char *text, size_t len, struct err *e)
{
	struct ini p = {.t = t, .lines = lines, .file = file, .text = text, .len = len, .e = e};
	int line;

	assert(target_keys_n <= TARGET_KEYS_MAX);
	*e = (struct err)ERR_INIT;
	memset(lines, 0, sizeof(*lines));
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		p.at = 3;
	buf_init(&p.value, VALUE_MAX);
	line = ini_parse_stream(ini_read_line, &p, ini_on_line, &p);
	ini_finish_value(&p);
	if (!e->cls && line < 0)
		ini_fail(&p, p.line, "no memory to read it");
	else if (!e->cls && line > 0)
		ini_fail(&p, line, "neither \"key = value\" nor \"[section]\" nor a comment");
	buf_release(&p.value);
	return -(int)e->cls;
}
