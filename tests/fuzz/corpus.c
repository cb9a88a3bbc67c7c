/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/fuzz/corpus.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

enum { LINE_MAX_BYTES = 256 };

static uint32_t below(struct corpus *c, size_t n)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return n ? (uint32_t)((c->random >> 16) % n) : 0;
}

void corpus_add(struct corpus *c, const uint8_t *data, size_t len)
{
	struct seed *s = &c->seed[c->n];

	if (c->n == CORPUS_MAX)
		return;
	s->data = mem_alloc(len ? len : 1);
	if (len)
		memcpy(s->data, data, len);
	s->len = len;
	c->n++;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_file(struct corpus *c, const char *folder, const char *name)
{
	char *path = mem_printf("%s/%s", folder, name);
	uint8_t *data = mem_alloc(INPUT_MAX);
	FILE *in = fopen(path, "rb");

	if (!in) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(1);
	}
	corpus_add(c, data, fread(data, 1, INPUT_MAX, in));
	fclose(in);
	free(data);
	free(path);
}

/* In place: what a line of a file of words means. */
static size_t unescape(char *line)
{
	size_t n = 0;
	unsigned byte;

	for (const char *p = line; *p && *p != '\n';) {
		if (*p == '\\' && sscanf(p, "\\x%2x", &byte) == 1) {
			line[n++] = (char)byte;
			p += 4;
		} else {
			line[n++] = *p++;
		}
	}
	return n;
}

static void add_word(struct corpus *c, const char *p, size_t n)
{
	struct seed *w = &c->word[c->words];

	if (c->words == WORDS_MAX || !n)
		return;
	w->data = mem_alloc(n);
	memcpy(w->data, p, n);
	w->len = n;
	c->words++;
}

static void load_words(struct corpus *c, const char *name)
{
	static const char *const always[] = {"\n", "\r\n", " ", "=", "#", ":", ",", "-1", "0", "1",
		"18446744073709551616", "4294967295", "2147483648", "65536", "9e999", "\xff", "%s",
		"%n", "[", "]", "\"", "\xc3\xa9", "../", "\t"};
	char *path = mem_printf("tests/fuzz/words/%s", name);
	char line[LINE_MAX_BYTES];
	FILE *in = fopen(path, "r");

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		add_word(c, always[i], strlen(always[i]));
	add_word(c, "", 1);
	while (in && fgets(line, sizeof(line), in))
		add_word(c, line, unescape(line));
	if (in)
		fclose(in);
	free(path);
}

void corpus_load(struct corpus *c, const char *name, uint64_t seed)
{
	char *folder = mem_printf("tests/fuzz/corpus/%s", name);
	struct dirent **list;
	int n = scandir(folder, &list, NULL, by_name);

	memset(c, 0, sizeof(*c));
	c->random = 0x9e3779b97f4a7c15u ^ seed;
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] != '.')
			load_file(c, folder, list[i]->d_name);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	free(folder);
	corpus_add(c, NULL, 0);
	c->files = c->n;
	load_words(c, name);
}

void corpus_release(struct corpus *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->seed[i].data);
	for (size_t i = 0; i < c->words; i++)
		free(c->word[i].data);
	c->n = c->words = 0;
}

/* Replace `cut` bytes at `at` by `n` bytes of p, or do nothing where that would not fit. */
static void splice(struct input *in, size_t at, size_t cut, const uint8_t *p, size_t n)
{
	if (cut > in->len - at)
		cut = in->len - at;
	if (in->len - cut + n > INPUT_MAX)
		return;
	memmove(in->data + at + n, in->data + at + cut, in->len - at - cut);
	memcpy(in->data + at, p, n);
	in->len += n - cut;
}

/* A stretch of the input, once more somewhere else in it. */
static void repeat(struct corpus *c, struct input *in, size_t at)
{
	uint8_t part[256];
	size_t from = below(c, in->len + 1), n = 1 + below(c, sizeof(part));

	if (n > in->len - from)
		n = in->len - from;
	memcpy(part, in->data + from, n);
	splice(in, at, below(c, 2) * n, part, n);
}

/* A number in the text becomes another one. */
static void renumber(struct corpus *c, struct input *in, size_t at)
{
	char text[24];
	size_t n = 0;

	while (at < in->len && (in->data[at] < '0' || in->data[at] > '9'))
		at++;
	while (at + n < in->len && in->data[at + n] >= '0' && in->data[at + n] <= '9')
		n++;
	if (!n)
		return;
	snprintf(text, sizeof(text), "%llu",
		(unsigned long long)(c->random >> below(c, 64)) + below(c, 3) - 1);
	splice(in, at, n, (const uint8_t *)text, strlen(text));
}

static void mutate_once(struct corpus *c, struct input *in)
{
	const struct seed *other;
	size_t at = below(c, in->len + 1), n;
	uint8_t byte = (uint8_t)below(c, 256);

	switch (below(c, 10)) {
	case 0:
		if (at < in->len)
			in->data[at] ^= (uint8_t)(1u << below(c, 8));
		break;
	case 1:
		splice(in, at, 1, &byte, 1);
		break;
	case 2:
		splice(in, at, 0, &byte, 1);
		break;
	case 3:
		splice(in, at, 1 + below(c, 16), (const uint8_t *)"", 0);
		break;
	case 4:
	case 5:
		other = &c->word[below(c, c->words)];
		splice(in, at, below(c, 2) * other->len, other->data, other->len);
		break;
	case 6:
		repeat(c, in, at);
		break;
	case 7:
		renumber(c, in, at);
		break;
	case 8:
		if (!below(c, 4))
			in->len = at;
		break;
	default: /* a part of another one */
		other = &c->seed[below(c, c->n)];
		n = below(c, other->len + 1);
		splice(in, at, below(c, 64), other->data + n,
			below(c, 2) ? other->len - n : below(c, other->len - n + 1));
		break;
	}
}

void corpus_mutate(struct corpus *c, struct input *in)
{
	bool found = c->n > c->files && below(c, 2);
	const struct seed *s =
		&c->seed[found ? c->files + below(c, c->n - c->files) : below(c, c->files)];

	memcpy(in->data, s->data, s->len);
	in->len = s->len;
	for (uint32_t n = 1 + below(c, 8); n > 0; n--)
		mutate_once(c, in);
}
