/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "reports/html.h"
#include "reports/html_plot.h"
#include "reports/html_text.h"
#include "tests/unit/fixture_html.h"
#include "tests/unit/html_check.h"

static void rendered(struct buf *out, const char *name)
{
	struct fixture_comparison f;
	struct err e = ERR_INIT;

	buf_init(out, 64u << 20);
	if (fixture_comparison(&f, name, &e))
		fail_msg("%s: %s", name, e.msg);
	report_html(out, &f.c);
	assert_false(out->failed);
	fixture_comparison_release(&f);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static const char *fixture_name(size_t i)
{
	return i < FIXTURE_NAMES ? fixture_names[i].name : fixture_several[i - FIXTURE_NAMES].name;
}

static void every_document_is_well_formed(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURE_NAMES + FIXTURE_SEVERAL; i++) {
		struct html_check h;
		struct buf out;
		const char *why;

		rendered(&out, fixture_name(i));
		why = html_check(&h, out.data);
		if (why)
			fail_msg("%s: %s", fixture_name(i), why);
		buf_release(&out);
	}
}

static void the_checker_finds_what_is_wrong(void **state)
{
	static const char *const bad[] = {"<h1>a</h1><p>", "<h1>a</h1><p></b></p>",
		"<h1>a</h1><p id=x></p>", "<h1>a</h1><p id=\"x\"></p><p id=\"x\"></p>",
		"<h1>a</h1>a < b", "<h1>a</h1><h3>b</h3>", "<h1>a</h1>\x01", "<h1>a</h1>\xff",
		"<h1>a</h1>a & b", "<h1>a</h1><p onclick=\"x\"></p>", "<p>a</p>"};
	struct html_check h;

	(void)state;
	assert_null(html_check(&h, "<h1 id=\"a\">a &amp; b</h1><br><p></p>"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!html_check(&h, bad[i]))
			fail_msg("not found: %s", bad[i]);
}

/* As a word of the text, whatever its case. */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; *p; p++)
		if (!strncasecmp(p, word, n) && (p == text || !isalpha((unsigned char)p[-1])) &&
			!isalpha((unsigned char)p[n]))
			return true;
	return false;
}

static void no_number_is_missing_its_value(void **state)
{
	static const char *const words[] = {"nan", "inf", "infinity", "(null)"};

	(void)state;
	for (size_t i = 0; i < FIXTURE_NAMES + FIXTURE_SEVERAL; i++) {
		struct buf out;

		rendered(&out, fixture_name(i));
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			if (has_word(out.data, words[k]))
				fail_msg("%s says %s", fixture_name(i), words[k]);
		buf_release(&out);
	}
}

static void the_same_comparison_gives_the_same_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < FIXTURE_NAMES + FIXTURE_SEVERAL; i++) {
		struct buf a, b;

		rendered(&a, fixture_name(i));
		rendered(&b, fixture_name(i));
		assert_int_equal(a.len, b.len);
		assert_memory_equal(a.data, b.data, a.len);
		buf_release(&a);
		buf_release(&b);
	}
}

static void text_from_outside_stays_text(void **state)
{
	struct buf out;

	(void)state;
	rendered(&out, "hostile");
	assert_int_equal(count(out.data, "<script"), 1);
	assert_int_equal(count(out.data, "</script"), 1);
	assert_int_equal(count(out.data, "<!--"), 0);
	assert_int_equal(count(out.data, "<b>"), 0);
	assert_int_equal(count(out.data, "<i>"), 0);
	assert_int_equal(count(out.data, "\x1b"), 0);
	assert_int_equal(count(out.data, "\xe2\x80\xae"), 0); /* right to left from here */
	assert_true(count(out.data, "&lt;script&gt;alert(1)&lt;/script&gt;") > 20);
	buf_release(&out);
}

static void bytes_are_escaped_one_by_one(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"plain", "plain"},
		{"<a href=\"x\">&'", "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"a\tb\nc", "a\tb\nc"},
		{"\x01\x1f\x7f", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\r", "\xef\xbf\xbd"},
		{"\xc2\x85", "\xef\xbf\xbd"},				  /* C1 */
		{"\xff", "\xef\xbf\xbd"},				  /* no UTF-8 */
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},		  /* overlong */
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* surrogate */
		{"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},		  /* cut off */
		{"\xe2\x80\xae", "\xef\xbf\xbd"},			  /* turns the direction */
		{"\xe2\x81\xa6", "\xef\xbf\xbd"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct buf out;

		buf_init(&out, 1000);
		html_esc(&out, pairs[i][0]);
		assert_string_equal(out.data, pairs[i][1]);
		buf_release(&out);
	}
}

static void long_text_is_cut_between_characters(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	html_cut(&out, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 4);
	assert_string_equal(out.data, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	buf_clear(&out);
	html_cut(&out, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 3);
	assert_string_equal(out.data, "\xc3\xa9\xc3\xa9\xe2\x80\xa6");
	buf_release(&out);
}

static void a_command_breaks_between_words_only(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	html_command(&out, "a --b 'c d' <");
	assert_string_equal(out.data,
		"<span class=\"w\">a</span> <span class=\"w\">--b</span> "
		"<span class=\"w\">&#39;c d&#39;</span> <span class=\"w\">&lt;</span>");
	buf_release(&out);
}

static void numbers_have_the_digits_that_they_deserve(void **state)
{
	(void)state;
	assert_string_equal(html_percent(248.774, 0.9).s, "+248.77 %");
	assert_string_equal(html_percent(248.774, 1.3).s, "+248.8 %");
	assert_string_equal(html_percent(-0.0512, 0.021).s, "-0.051 %");
	assert_string_equal(html_percent(1.23456789, 0).s, "+1.235 %");
	assert_string_equal(html_percent(-23.72, 0).s, "-23.72 %");
	assert_string_equal(html_percent(-0.0001, 0.5).s, "0.00 %");
	assert_string_equal(html_bound(-1.2e-11, 3e-11).s, "-1.2e-11");
	assert_string_equal(html_rough(0.4127).s, "0.41");
	assert_string_equal(html_rough(571.3).s, "571");
	assert_string_equal(html_rough(NAN).s, "-");
	assert_string_equal(html_percent(1e300, 1).s, "+1e+300 %");
	assert_string_equal(html_percent(NAN, 1).s, "-");
	assert_string_equal(html_percent(INFINITY, 1).s, "-");
	assert_string_equal(html_bound(-0.6, 0.5).s, "-0.60");
	assert_string_equal(html_time(354.6e6, false).s, "354.6 ms");
	assert_string_equal(html_time(-2500, true).s, "-2.5 us");
	assert_string_equal(html_time(2500, true).s, "+2.5 us");
	assert_string_equal(html_time(NAN, false).s, "-");
	assert_string_equal(
		html_time_interval(650825, -385.7e3, 1.687e6).s, "+0.6508 ms [-0.3857, +1.687]");
	assert_string_equal(html_time_interval(1, -INFINITY, 2).s, "-");
	assert_string_equal(html_share(31, 10000).s, "0.31 %");
	assert_string_equal(html_share(1, 0).s, "-");
	assert_string_equal(html_p(0.7598).s, "= 0.76");
	assert_string_equal(html_p(1e-13).s, "< 1e-12");
	assert_string_equal(html_p(NAN).s, "-");
}

static void machines_read_back_what_was_meant(void **state)
{
	static const double values[] = {0, 1, -1, 0.1, 1.0 / 3, 354132866, 1e300, -2.5e-300};
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		buf_clear(&out);
		html_number(&out, values[i]);
		assert_true(strtod(out.data, NULL) == values[i]);
	}
	buf_clear(&out);
	html_number(&out, 0.1);
	html_number(&out, NAN);
	assert_string_equal(out.data, "0.1-");
	buf_clear(&out);
	html_px(&out, 12.04);
	buf_addc(&out, ' ');
	html_px(&out, -0.04);
	buf_addc(&out, ' ');
	html_px(&out, 7.25);
	buf_addc(&out, ' ');
	html_px(&out, NAN);
	assert_string_equal(out.data, "12 0 7.2 0");
	buf_release(&out);
}

static void an_axis_holds_its_values(void **state)
{
	static const double ranges[][2] = {
		{0, 1}, {-3, 250}, {354e6, 354e6}, {0, 0}, {-1e18, 1e18}, {9.2e18, 9.2e18}};

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (int knee = 0; knee < 2; knee++) {
			struct html_axis a = {.at = 100, .len = -50, .knee = knee};
			double lo, hi;

			html_axis_fit(&a, ranges[i][0], ranges[i][1], 6);
			assert_true(a.lo < a.hi && a.step > 0 && isfinite(a.step));
			lo = html_axis_px(&a, ranges[i][0]);
			hi = html_axis_px(&a, ranges[i][1]);
			assert_true(lo <= 100 && lo >= hi && hi >= 50);
			assert_true(fabs(html_axis_px(&a, a.lo - 1e19) - 100) < 1e-9);
			assert_true(fabs(html_axis_px(&a, a.hi + 1e19) - 50) < 1e-9);
		}
}

static void verdicts_are_said_in_words(void **state)
{
	static const char *const said[][2] = {
		{"clean", "<h3>physical is slower than mixed by 247.2 %</h3>"},
		{"clean", "<h3>No difference between cluster and mixed is proven</h3>"},
		{"rough",
			"<h3>Too few boots to compare physical with mixed: 2 more are needed</h3>"},
		{"empty", "No mode has samples enough: there is nothing to compare."},
		{"empty", "mixed is not compared: it has 0 samples, and 3 are needed."},
		{"single",
			"Only physical has samples enough: there is nothing to compare it with."},
		{"shifted", "The reference is physical, since mixed is missing."},
		{"flat", "do not differ at all"},
		{"zero", "no percentage, since the reference's mean is 0"},
		{"wild", "its interval has no bounds"},
		{"sides", "A regression is proven."},
		{"many", "<h3>mode-4 is faster than mode-0 by "},
		{"many", "The block holds 7 sets at most: mode-8 is not in it."},
		{"many", "variance of the pilot"},
		{"many",
			"Of 8 comparisons 1 proves a difference: mode-4 is faster than mode-0 by "},
		{"sides", "Of 3 comparisons 3 prove a difference: after mixed is slower than "},
		{"flat", "Of 2 comparisons none proves a difference."},
		{"nights", "The runs of both nights differ by more than their boots explain"},
		{"none", "<h1>Nothing to compare</h1>"},
		{"sides", "<h3>after mixed is slower than before mixed by 2.00 %</h3>"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		struct buf out;

		rendered(&out, said[i][0]);
		if (!strstr(out.data, said[i][1]))
			fail_msg("%s does not say: %s", said[i][0], said[i][1]);
		buf_release(&out);
	}
}

static void what_a_reviewer_asks_for_is_there(void **state)
{
	static const char *const said[][2] = {
		{"rough", "<strong>Emulated machine:</strong>"},
		{"rough", "emulated by</dt><dd>QEMU 10.0.2, tcg"},
		{"rough", "Run 7f3a ended early: interrupted by Ctrl-C"},
		{"rough", "SKIPPED</strong> cluster: CONFIG_X2APIC_CLUSTER is not in this "
			  "tree&#39;s"},
		{"rough", "boot 2, physical: lab in stage firmware: console silent for 300 s "
			  "(E_TIMEOUT); repeated as boot 3"},
		{"rough", "1 boot of the plan was not run"},
		{"rough", "so physical rests on 1 boot instead of 3"},
		{"rough", "microcode: 0xaa00215 in boots 1, 5; 0xaa00219 in boot 3"},
		{"rough", "console: 2 records repaired"},
		{"empty", "has not ended, or was killed"},
		{"clean", "two sockets in rack 4"},
		{"clean", "microcode</dt><dd>0xaa00215"},
		{"clean", "firmware</dt><dd>UEFI 1.12"},
		{"clean", "511 of them targets"},
		{"clean", "seed 41"},
		{"clean", "Xen 4.19.1 (3d1fe1c), debug=n"},
		{"clean", "no shorthand"},
		{"clean", "9 of 9 boots (3 a mode)"},
		{"clean", "hp_nonce=NONCE"},
		{"clean", "mixed in 3 boots (x2apic_mixed)"},
		{"clean", "harness v0.1-3-gabcdef"},
		{"clean", "<span class=\"w\">&#39;loglvl=all guest_loglvl=all&#39;</span>"},
		{"large", "repetitions made up for it"},
		{"many", "4 a mode by the rule, 10 at most"},
		{"many", "samples kept</dt><dd>all after 3 of warm-up"},
		{"sides", "harness</span> <span class=\"w\">compare"},
		{"sides", "command line: loglvl=all | loglvl=info"},
		{"sides", "run 6e10: another machine"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		struct buf out;

		rendered(&out, said[i][0]);
		if (!strstr(out.data, said[i][1]))
			fail_msg("%s does not say: %s", said[i][0], said[i][1]);
		buf_release(&out);
	}
}

static void an_emulated_machine_is_named_first(void **state)
{
	const char *warning, *title;
	struct buf out;

	(void)state;
	rendered(&out, "rough");
	warning = strstr(out.data, "Emulated machine");
	title = strstr(out.data, "<h1>");
	assert_true(warning && title && warning < title);
	buf_release(&out);
	rendered(&out, "clean");
	assert_null(strstr(out.data, "Emulated machine"));
	buf_release(&out);
}

static void nothing_is_asked_for(void **state)
{
	static const char *const words[] = {"http:", "https:", "url(", "src=", "@import", "@font"};

	(void)state;
	for (size_t i = 0; i < FIXTURE_NAMES + FIXTURE_SEVERAL; i++) {
		struct buf out;

		rendered(&out, fixture_name(i));
		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			if (strstr(out.data, words[k]))
				fail_msg("%s holds %s", fixture_name(i), words[k]);
		assert_non_null(
			strstr(out.data, "content=\"default-src 'none'; style-src 'sha256-"));
		assert_non_null(strstr(out.data, "<link rel=\"icon\" href=\"data:,\">"));
		assert_null(strstr(out.data, "unsafe-"));
		buf_release(&out);
	}
}

static void many_samples_are_thinned_out(void **state)
{
	struct buf out;

	(void)state;
	rendered(&out, "huge");
	assert_non_null(strstr(out.data, "Of 30000 samples 1 in 2 is drawn"));
	assert_non_null(strstr(out.data, "More than 20000 samples: each boot is summed up here."));
	assert_null(strstr(out.data, "<td class=\"samples\">"));
	assert_true(out.len < 2u << 20);
	buf_release(&out);
	rendered(&out, "large");
	assert_int_equal(count(out.data, "<td class=\"samples\">"), 15);
	assert_true(out.len < 200u << 10);
	buf_release(&out);
}

static void a_full_buffer_is_told(void **state)
{
	struct fixture_comparison f;
	struct err e = ERR_INIT;
	struct buf out;

	(void)state;
	assert_int_equal(fixture_comparison(&f, "clean", &e), 0);
	for (size_t max = 0; max < 90000; max += 7919) {
		buf_init(&out, max);
		report_html(&out, &f.c);
		assert_true(out.failed || out.len > 70000);
		assert_true(out.len <= max);
		buf_release(&out);
	}
	fixture_comparison_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_document_is_well_formed),
		cmocka_unit_test(the_checker_finds_what_is_wrong),
		cmocka_unit_test(no_number_is_missing_its_value),
		cmocka_unit_test(the_same_comparison_gives_the_same_bytes),
		cmocka_unit_test(text_from_outside_stays_text),
		cmocka_unit_test(bytes_are_escaped_one_by_one),
		cmocka_unit_test(long_text_is_cut_between_characters),
		cmocka_unit_test(a_command_breaks_between_words_only),
		cmocka_unit_test(numbers_have_the_digits_that_they_deserve),
		cmocka_unit_test(machines_read_back_what_was_meant),
		cmocka_unit_test(an_axis_holds_its_values),
		cmocka_unit_test(verdicts_are_said_in_words),
		cmocka_unit_test(what_a_reviewer_asks_for_is_there),
		cmocka_unit_test(an_emulated_machine_is_named_first),
		cmocka_unit_test(nothing_is_asked_for),
		cmocka_unit_test(many_samples_are_thinned_out),
		cmocka_unit_test(a_full_buffer_is_told),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
