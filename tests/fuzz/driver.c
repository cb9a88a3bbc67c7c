/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target without a fuzzer: first every file of its corpus, then inputs made of them
 * (corpus.h).  One that reaches something new (coverage.h) is kept and changed in its turn.
 *
 * The target is a libFuzzer one (LLVMFuzzerTestOneInput), so that another fuzzer can take the same
 * file.  FUZZ_ROUNDS (20000) bounds the made inputs, FUZZ_SECONDS the time if it is set (then there
 * is no other bound unless both are), FUZZ_SEED (1) chooses them: for one build the same seed gives
 * the same inputs in the same order, as long as the target does the same for the same input.  It
 * runs in a child; the input stands in shared memory, so that the one that killed the child, or
 * took longer than 10 s, is saved in tests/fuzz/crash-NAME: put it into the corpus and it is the
 * first to run.  Output is TAP.
 */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/coverage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_SECS = 10, ROUNDS = 20000 };

/* What the child tells the parent. */
struct shared {
	struct input in;
	size_t done; /* inputs that were survived */
	size_t edges, kept;
	bool ended; /* all of them */
};

static void run_input(struct shared *s)
{
	/* In a block of exactly its size, where a sanitizer sees the first byte read too many. */
	uint8_t *copy = malloc(s->in.len ? s->in.len : 1);

	if (!copy)
		abort();
	memcpy(copy, s->in.data, s->in.len);
	alarm(INPUT_SECS);
	coverage_clear();
	LLVMFuzzerTestOneInput(copy, s->in.len);
	alarm(0);
	free(copy);
	s->done++;
}

static void child(struct corpus *c, struct shared *s, size_t rounds, int64_t end_ns)
{
	for (size_t i = 0; i < c->files; i++) {
		memcpy(s->in.data, c->seed[i].data, c->seed[i].len);
		s->in.len = c->seed[i].len;
		run_input(s);
		coverage_is_new();
	}
	for (size_t i = 0; i < rounds && (!end_ns || clock_mono_ns() < end_ns); i++) {
		corpus_mutate(c, &s->in);
		run_input(s);
		if (coverage_is_new() && s->in.len <= KEEP_MAX)
			corpus_add(c, s->in.data, s->in.len);
	}
	s->edges = coverage_edges();
	s->kept = c->n - c->files;
	s->ended = true;
}

static void save_crash(const char *name, const struct shared *s)
{
	char *path = mem_printf("tests/fuzz/crash-%s", name);
	FILE *out = fopen(path, "wb");

	if (out) {
		fwrite(s->in.data, 1, s->in.len, out);
		fclose(out);
	}
	printf("# %s: the input after %zu others, %zu bytes, saved as %s\n", name, s->done,
		s->in.len, path);
	free(path);
}

static size_t env_number(const char *name, size_t otherwise)
{
	const char *s = getenv(name);

	return s && *s ? strtoull(s, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	const char *name = basename(argv[0]);
	size_t seed = env_number("FUZZ_SEED", 1), seconds = env_number("FUZZ_SECONDS", 0);
	size_t rounds = env_number("FUZZ_ROUNDS", seconds ? SIZE_MAX : ROUNDS);
	int64_t end_ns = seconds ? clock_mono_ns() + (int64_t)seconds * 1000000000 : 0;
	struct corpus *c = mem_alloc(sizeof(*c));
	struct shared *s = mmap(
		NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t pid;

	(void)argc;
	corpus_load(c, name, seed);
	fflush(NULL);
	pid = s == MAP_FAILED ? -1 : fork();
	if (pid < 0) {
		perror("fuzz driver");
		return 1;
	}
	if (pid == 0) {
		child(c, s, rounds, end_ns);
		corpus_release(c);
		free(c);
		exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		printf("# %s: ended by %s %d\n", name, WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (status != 0 && s->ended)
		printf("# %s: after the last input: memory was leaked?\n", name);
	else if (status != 0)
		save_crash(name, s);
	printf("# %s: %zu files, then FUZZ_SEED=%zu FUZZ_ROUNDS=%zu; %zu edges, %zu inputs kept\n",
		name, c->files, seed, s->done > c->files ? s->done - c->files : 0, s->edges,
		s->kept);
	printf("%s 1 - %s survives %zu inputs\n1..1\n", status == 0 ? "ok" : "not ok", name,
		s->done);
	corpus_release(c);
	free(c);
	return status != 0;
}
