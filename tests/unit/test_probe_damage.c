/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A real report on a console that damages it: a boot gives its exact samples or none. */
#include "tests/unit/unit.h"

#include "harness/base/buf.h"
#include "harness/probe.h"

enum { TIMINGS = 7, BLOCK_MAX = 300 };

/* A console, and what a clean reading of it gave. */
struct fixture {
	char *whole; /* as it came, iPXE's screen included */
	size_t whole_len;
	char *brief; /* banner, command line, and the two passes of the report */
	size_t brief_len, first, second, end; /* where the passes begin, and the last ends */
	char *old;			      /* another boot's passes */
	size_t old_len;
	char *bad; /* room for a damaged copy */
	char nonce[NONCE_HEX + 1];
	struct boot_result clean;
	struct sample samples[TIMINGS];
	size_t ok, rejected;
};

static const struct probe_expect expect = {
	8, 1, "32a90aa6bfeb9d86ead8482e912d9f9a4e7e2ccf", "flush-all", 200, 5, 2, false};

static char *read_file(const char *file, size_t *n)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 1 << 20);
	assert_int_equal(path_read(file, &b, &e), 0);
	*n = b.len;
	return buf_detach(&b);
}

/* The lines from the one with `from` to the one with `to`, both included. */
static const char *lines(const char *text, const char *from, const char *to, size_t *n)
{
	const char *a = strstr(text, from), *z;

	assert_non_null(a);
	while (a > text && a[-1] != '\n')
		a--;
	z = strstr(a, to);
	assert_non_null(z);
	z = strchr(z, '\n') + 1;
	*n = (size_t)(z - a);
	return a;
}

/* Decide on a console.  live: the image has been fetched before its first byte. */
static enum outcome decide(struct fixture *f, const char *p, size_t n, bool live)
{
	struct boot_result r = {.mode = "cluster"};
	struct probe *probe = probe_new(f->nonce);
	enum outcome o;

	if (live)
		probe_live(probe);
	probe_feed(probe, p, n);
	probe_finish(probe, &r, &expect);
	o = r.outcome;
	if (o == OUTCOME_OK) {
		f->ok++;
		assert_int_equal(r.n_samples, TIMINGS);
		assert_memory_equal(r.samples, f->samples, sizeof(f->samples));
		assert_string_equal(r.effective, "cluster");
		assert_int_equal(r.facts.cpus_online, f->clean.facts.cpus_online);
		assert_int_equal(r.facts.cpus_present, f->clean.facts.cpus_present);
		assert_int_equal(r.facts.sockets, f->clean.facts.sockets);
		assert_int_equal(r.facts.target_cpus, f->clean.facts.target_cpus);
		assert_int_equal(r.facts.clusters, f->clean.facts.clusters);
		assert_int_equal(r.facts.tsc_khz, f->clean.facts.tsc_khz);
		assert_string_equal(r.facts.build_id, f->clean.facts.build_id);
	} else {
		f->rejected++;
		/* What is kept of a mismatch for the log is exact too. */
		if (r.n_samples)
			assert_memory_equal(r.samples, f->samples, sizeof(f->samples));
	}
	free(r.samples);
	probe_free(probe);
	return o;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	const char *head, *report, *p;
	size_t n, m;
	struct probe *probe;

	f->whole = read_file("tests/data/console-cluster.txt", &f->whole_len);
	assert_int_equal(sscanf(strstr(f->whole, "hp_nonce="), "hp_nonce=%32s", f->nonce), 1);
	head = lines(f->whole, "Xen version", "Command line:", &n);
	report = lines(f->whole, "HPP1 ", " DONE ", &m);
	f->first = n;
	f->second = n + m;
	p = report + m;
	lines(p, "HPP1 ", " DONE ", &m);
	f->brief_len = f->end = f->second + m;
	f->brief = malloc(f->brief_len + 1);
	memcpy(f->brief, head, n);
	memcpy(f->brief + n, report, f->brief_len - n);
	f->brief[f->brief_len] = '\0';
	f->old = read_file("tests/data/console-fallback.txt", &n);
	p = lines(f->old, "HPP1 ", " DONE ", &m);
	lines(p + m, "HPP1 ", " DONE ", &n);
	f->old_len = m + n;
	memmove(f->old, p, f->old_len);
	f->bad = malloc(f->whole_len + f->brief_len + f->old_len + 4096);

	snprintf(f->clean.mode, sizeof(f->clean.mode), "cluster");
	probe = probe_new(f->nonce);
	probe_feed(probe, f->brief, f->brief_len);
	probe_finish(probe, &f->clean, &expect);
	probe_free(probe);
	assert_int_equal(f->clean.outcome, OUTCOME_OK);
	assert_int_equal(f->clean.n_samples, TIMINGS);
	assert_int_equal(f->clean.samples[0].ns, 28624012);
	assert_int_equal(f->clean.samples[6].ns, 28085369);
	memcpy(f->samples, f->clean.samples, sizeof(f->samples));
	free(f->clean.samples);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	free(f->whole);
	free(f->brief);
	free(f->old);
	free(f->bad);
	free(f);
	return 0;
}

/* In f->bad: the console with `lost` bytes at a position replaced by others.  Returns its length.
 */
static size_t splice(struct fixture *f, const char *text, size_t len, size_t at, size_t lost,
	const char *in, size_t n)
{
	memcpy(f->bad, text, at);
	memcpy(f->bad + at, in, n);
	memcpy(f->bad + at + n, text + at + lost, len - at - lost);
	return len - lost + n;
}

static const char *const interleaved[] = {
	"(XEN) d0v0 Unhandled something\r\n",
	"\r\n(XEN) *** LINE ***\r\n",
	"[    1.234567] e1000: eth0 NIC Link is Up 1000 Mbps\r\n",
	"HPP1 ",
	" #00000000",
};
static const size_t blocks[] = {2, 9, 64, BLOCK_MAX};

enum { ONE_BYTE = 10, INTERLEAVED = sizeof(interleaved) / sizeof(interleaved[0]), BLOCKS = 4 };

/* One damage of each kind at one position of the report.  One byte is always repaired. */
static void damage_at(struct fixture *f, const char *text, size_t len, size_t at, size_t second)
{
	size_t before = f->ok;

	decide(f, f->bad, splice(f, text, len, at, 1, "", 0), false);
	decide(f, f->bad, splice(f, text, len, at, 0, text + at, 1), false);
	for (int bit = 0; bit < 8; bit++) {
		char c = (char)(text[at] ^ (1 << bit));

		decide(f, f->bad, splice(f, text, len, at, 1, &c, 1), false);
	}
	for (size_t i = 0; i < INTERLEAVED; i++)
		decide(f, f->bad,
			splice(f, text, len, at, 0, interleaved[i], strlen(interleaved[i])), false);
	assert_int_equal(f->ok - before, ONE_BYTE + INTERLEAVED);

	/* SOL loses a packet, or sends it twice: twice is never too much. */
	for (size_t i = 0; i < BLOCKS; i++) {
		size_t n = blocks[i] < len - at ? blocks[i] : len - at;
		enum outcome o = decide(f, f->bad, splice(f, text, len, at, n, "", 0), false);

		if (at + n <= second || at >= second)
			assert_int_equal(o, OUTCOME_OK);
		assert_int_equal(
			decide(f, f->bad, splice(f, text, len, at, 0, text + at, n), false),
			OUTCOME_OK);
	}
}

static void damage_at_every_position_of_a_report_is_repaired(void **state)
{
	struct fixture *f = *state;

	for (size_t at = f->first; at < f->end; at++)
		damage_at(f, f->brief, f->brief_len, at, f->second);
	assert_true(f->ok > (f->end - f->first) * (ONE_BYTE + INTERLEAVED + BLOCKS));
}

static uint32_t seed;

/* Numerical Recipes' generator; below n. */
static size_t pick(size_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (size_t)(((uint64_t)seed * n) >> 32);
}

static void damage_of_the_whole_console_gives_no_wrong_number(void **state)
{
	struct fixture *f = *state;

	seed = 1;
	for (int i = 0; i < 400; i++) {
		size_t at = pick(f->whole_len), n = 1 + pick(BLOCK_MAX);
		char c = (char)pick(256);

		if (n > f->whole_len - at)
			n = f->whole_len - at;
		decide(f, f->bad, splice(f, f->whole, f->whole_len, at, 1, &c, 1), i & 1);
		decide(f, f->bad, splice(f, f->whole, f->whole_len, at, n, "", 0), i & 1);
		decide(f, f->bad,
			splice(f, f->whole, f->whole_len, at, 0, f->whole + pick(f->whole_len - n),
				n),
			i & 1);
	}
	assert_true(f->ok > 600);
}

/* Another byte, a lost one and a doubled one, in turn. */
static size_t damage_one(char *p, size_t n, size_t at, int way)
{
	switch (way) {
	case 0:
		p[at] = (char)(p[at] ^ (1 + pick(255)));
		return n;
	case 1:
		memmove(p + at, p + at + 1, n - at - 1);
		return n - 1;
	default:
		memmove(p + at + 1, p + at, n - at);
		return n + 1;
	}
}

static void damage_of_both_passes_is_repaired_or_rejected(void **state)
{
	struct fixture *f = *state;
	size_t pass = f->second - f->first;

	seed = 2;
	for (int i = 0; i < 6000; i++) {
		size_t n = f->brief_len;

		/* From the end, so that positions stay where they are. */
		memcpy(f->bad, f->brief, n);
		for (int k = 0; k <= i % 3; k++)
			n = damage_one(f->bad, n, f->second + pick(f->end - f->second - 8), i % 3);
		for (int k = 0; k <= i % 3; k++)
			n = damage_one(f->bad, n, f->first + pick(pass - 8), i / 3 % 3);
		decide(f, f->bad, n, false);
	}
	assert_true(f->ok > 2000);
	assert_true(f->rejected > 500);
}

/* The same damage in both passes: of a record nothing is left, and beside one nothing is lost. */
static void the_same_damage_in_both_passes_is_rejected(void **state)
{
	struct fixture *f = *state;
	size_t pass = f->second - f->first;
	bool in_record = false;

	assert_int_equal(f->end - f->second, pass);
	for (size_t at = 0; at < pass; at++) {
		const char *p = f->brief + f->first + at;

		in_record = *p != '\r' && *p != '\n' && (in_record || !strncmp(p, "HPP1 ", 5));
		for (int bit = 0; bit < 8; bit++) {
			enum outcome o;

			memcpy(f->bad, f->brief, f->brief_len);
			f->bad[f->first + at] ^= (char)(1 << bit);
			f->bad[f->second + at] ^= (char)(1 << bit);
			o = decide(f, f->bad, f->brief_len, false);
			if (in_record)
				assert_int_not_equal(o, OUTCOME_OK);
			else
				assert_int_equal(o, OUTCOME_OK);
		}
	}
}

static void an_old_report_before_within_or_after_ours_changes_nothing(void **state)
{
	struct fixture *f = *state;
	char *lead = f->whole, *ours = strstr(f->whole, "(XEN) Xen version");
	size_t lead_len = (size_t)(ours - lead);

	/* Before: the concentrator shows what it kept.  Then the firmware, and our boot. */
	for (int live = 0; live < 2; live++) {
		size_t n = splice(f, f->whole, f->whole_len, lead_len, 0, f->old, f->old_len);

		if (!live)
			assert_int_equal(decide(f, f->bad, n, live), OUTCOME_OK);
		n = splice(f, f->brief, f->brief_len, f->end, 0, f->old, f->old_len);
		assert_int_equal(decide(f, f->bad, n, live), OUTCOME_OK);
	}
	/* Within: the right numbers, from our other pass where need be. */
	for (size_t at = f->first; at < f->end; at += 3) {
		enum outcome o = decide(f, f->bad,
			splice(f, f->brief, f->brief_len, at, 0, f->old, f->old_len), true);

		assert_int_equal(o, OUTCOME_OK);
	}
	/* Our own report once more: the same words. */
	for (size_t at = f->first; at < f->end; at += 7) {
		size_t n = splice(
			f, f->brief, f->brief_len, at, 0, f->brief + f->first, f->end - f->first);

		assert_int_equal(decide(f, f->bad, n, true), OUTCOME_OK);
	}
	/* The old one alone, after our image was fetched: not ours. */
	assert_int_equal(decide(f, f->old, f->old_len, true), OUTCOME_WRONG_IMAGE);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(damage_at_every_position_of_a_report_is_repaired),
		T(damage_of_the_whole_console_gives_no_wrong_number),
		T(damage_of_both_passes_is_repaired_or_rejected),
		T(the_same_damage_in_both_passes_is_rejected),
		T(an_old_report_before_within_or_after_ours_changes_nothing),
	};
	return cmocka_run_group_tests_name("probe_damage", tests, NULL, NULL);
}
