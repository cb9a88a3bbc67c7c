/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of a fuzz target, words that its parser knows, and new inputs made of both. */
#ifndef TESTS_FUZZ_CORPUS_H
#define TESTS_FUZZ_CORPUS_H

#include <stddef.h>
#include <stdint.h>

enum { INPUT_MAX = 65536, CORPUS_MAX = 6000, KEEP_MAX = 8192, WORDS_MAX = 256 };

struct input {
	size_t len;
	uint8_t data[INPUT_MAX];
};

struct seed {
	uint8_t *data; /* owned */
	size_t len;
};

struct corpus {
	struct seed seed[CORPUS_MAX];
	size_t n;
	size_t files; /* of which so many are files; the others were found */
	struct seed word[WORDS_MAX];
	size_t words;
	uint64_t random; /* state of a xorshift generator, never 0 */
};

/* tests/fuzz/corpus/NAME/, and tests/fuzz/words/NAME if there is one: a word a line, \xNN is a
 * byte.  Ends the program when they cannot be read. */
void corpus_load(struct corpus *c, const char *name, uint64_t seed);
void corpus_release(struct corpus *c);

/* Keep a copy, if there is room. */
void corpus_add(struct corpus *c, const uint8_t *data, size_t len);

/* Choose one, and change it a few times. */
void corpus_mutate(struct corpus *c, struct input *in);

#endif
