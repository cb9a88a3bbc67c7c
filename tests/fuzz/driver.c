/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target without a fuzzer: first every file of its corpus, then mutations of them.
 *
 * The target is a libFuzzer one (LLVMFuzzerTestOneInput), so that a coverage-guided fuzzer can take
 * the same file.  The corpus of program NAME is tests/fuzz/corpus/NAME/; an empty input always
 * belongs to it.  FUZZ_ROUNDS (20000) bounds the mutations and FUZZ_SEED (1) chooses them: the same
 * two give the same inputs.  The target runs in a child; the input stands in shared memory, so that
 * the one that killed the child, or took longer than 10 s, can be saved in tests/fuzz/crash-NAME.
 * Output is TAP.
 */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX  65536 /* bytes */
#define CORPUS_MAX 1000	 /* files */
#define INPUT_SECS 10

struct seed {
	char *name;
	uint8_t *data;
	size_t len;
};

struct fuzz {
	const char *name;
	struct seed seed[CORPUS_MAX];
	size_t seeds;
	uint64_t random; /* state of a xorshift generator, never 0 */
};

/* What the child tells the parent. */
struct shared {
	size_t len;
	size_t done; /* inputs that were survived */
	uint8_t data[INPUT_MAX];
};

static uint32_t below(struct fuzz *f, size_t n)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return n ? (uint32_t)((f->random >> 16) % n) : 0;
}

static void add_seed(struct fuzz *f, const char *folder, const char *name)
{
	struct seed *s = &f->seed[f->seeds];
	char *path = mem_printf("%s/%s", folder, name);
	FILE *in = fopen(path, "rb");

	if (!in || f->seeds == CORPUS_MAX) {
		fprintf(stderr, "%s: cannot be read, or is one file too many\n", path);
		exit(1);
	}
	s->name = mem_strdup(name);
	s->data = mem_alloc(INPUT_MAX);
	s->len = fread(s->data, 1, INPUT_MAX, in);
	f->seeds++;
	fclose(in);
	free(path);
}

static int seed_order(const void *a, const void *b)
{
	return strcmp(((const struct seed *)a)->name, ((const struct seed *)b)->name);
}

static void load_corpus(struct fuzz *f)
{
	char *folder = mem_printf("tests/fuzz/corpus/%s", f->name);
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.')
			add_seed(f, folder, e->d_name);
	if (d)
		closedir(d);
	/* The folder's own order differs between machines; the inputs must not. */
	qsort(f->seed, f->seeds, sizeof(f->seed[0]), seed_order);
	if (f->seeds < CORPUS_MAX)
		f->seed[f->seeds++] = (struct seed){mem_strdup("(empty)"), mem_alloc(1), 0};
	free(folder);
}

static void release_corpus(struct fuzz *f)
{
	for (size_t i = 0; i < f->seeds; i++) {
		free(f->seed[i].name);
		free(f->seed[i].data);
	}
}

/* Replace `cut` bytes at `at` by `n` bytes of p, or do nothing where that would not fit. */
static void splice(struct shared *s, size_t at, size_t cut, const uint8_t *p, size_t n)
{
	if (cut > s->len - at)
		cut = s->len - at;
	if (s->len - cut + n > INPUT_MAX)
		return;
	memmove(s->data + at + n, s->data + at + cut, s->len - at - cut);
	memcpy(s->data + at, p, n);
	s->len += n - cut;
}

static void mutate_once(struct fuzz *f, struct shared *s)
{
	static const char *const tokens[] = {"\n", "\r\n", " ", "=", "#", ":", "-1", "0", "\0",
		"18446744073709551616", "4294967295", "9e999", "\xff", "%s", "[", "]", "\"", "é"};
	const char *token;
	const struct seed *other;
	size_t at = below(f, s->len + 1), n;
	uint8_t byte = (uint8_t)below(f, 256);

	switch (below(f, 7)) {
	case 0:
		if (at < s->len)
			s->data[at] ^= (uint8_t)(1u << below(f, 8));
		break;
	case 1:
		splice(s, at, 1, &byte, 1);
		break;
	case 2:
		splice(s, at, 0, &byte, 1);
		break;
	case 3:
		splice(s, at, 1 + below(f, 16), (const uint8_t *)"", 0);
		break;
	case 4:
		token = tokens[below(f, sizeof(tokens) / sizeof(tokens[0]))];
		n = *token ? strlen(token) : 1;
		splice(s, at, below(f, 2) * n, (const uint8_t *)token, n);
		break;
	case 5:
		s->len = at;
		break;
	default: /* the end, or the middle, of another file */
		other = &f->seed[below(f, f->seeds)];
		n = below(f, other->len + 1);
		splice(s, at, below(f, 64), other->data + n, other->len - n);
		break;
	}
}

static void run_input(struct shared *s)
{
	/* In a block of exactly its size, where a sanitizer sees the first byte read too many. */
	uint8_t *copy = malloc(s->len ? s->len : 1);

	if (!copy)
		abort();
	memcpy(copy, s->data, s->len);
	alarm(INPUT_SECS);
	LLVMFuzzerTestOneInput(copy, s->len);
	alarm(0);
	free(copy);
	s->done++;
}

static void set_input(struct shared *s, const struct seed *seed)
{
	memcpy(s->data, seed->data, seed->len);
	s->len = seed->len;
}

static void child(struct fuzz *f, struct shared *s, size_t rounds)
{
	for (size_t i = 0; i < f->seeds; i++) {
		set_input(s, &f->seed[i]);
		run_input(s);
	}
	for (size_t i = 0; i < rounds; i++) {
		set_input(s, &f->seed[below(f, f->seeds)]);
		for (uint32_t n = 1 + below(f, 8); n > 0; n--)
			mutate_once(f, s);
		run_input(s);
	}
}

static void save_crash(const struct fuzz *f, const struct shared *s)
{
	char *path = mem_printf("tests/fuzz/crash-%s", f->name);
	FILE *out = fopen(path, "wb");

	if (out) {
		fwrite(s->data, 1, s->len, out);
		fclose(out);
	}
	printf("# %s: the input after %zu others, %zu bytes, saved as %s\n", f->name, s->done,
		s->len, path);
	free(path);
}

static size_t env_number(const char *name, size_t otherwise)
{
	const char *s = getenv(name);

	return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	struct fuzz f = {.random = 0x9e3779b97f4a7c15u ^ env_number("FUZZ_SEED", 1)};
	size_t rounds = env_number("FUZZ_ROUNDS", 20000);
	struct shared *s = mmap(
		NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t pid;

	(void)argc;
	f.name = basename(argv[0]);
	load_corpus(&f);
	fflush(NULL);
	pid = s == MAP_FAILED ? -1 : fork();
	if (pid < 0) {
		perror("fuzz driver");
		return 1;
	}
	if (pid == 0) {
		child(&f, s, rounds);
		release_corpus(&f);
		exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		printf("# %s: ended by %s %d\n", f.name, WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (status != 0 && s->done == f.seeds + rounds)
		printf("# %s: after the last input: memory was leaked?\n", f.name);
	else if (status != 0)
		save_crash(&f, s);
	printf("%s 1 - %s survives %zu inputs\n1..1\n", status == 0 ? "ok" : "not ok", f.name,
		s->done);
	release_corpus(&f);
	return status != 0;
}
