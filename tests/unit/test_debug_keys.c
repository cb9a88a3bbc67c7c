/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/debug_keys.h"

#define CPU(n, rip) \
	"(XEN) *** Dumping CPU" #n " host state: ***\r\n" \
	"(XEN) ----[ Xen-4.17.5  x86_64  debug=n  Not tainted ]----\r\n" \
	"(XEN) CPU:    " #n "\r\n(XEN) RIP:    e008:" rip "\r\n" \
	"(XEN) RFLAGS: 0000000000000246   CONTEXT: hypervisor\r\n"
#define IDLE	"[<ffff82d0403145a6>] arch/x86/domain.c#default_idle+0xc6/0xf0"
#define FLUSH	"[<ffff82d04033e0fa>] flush_area_mask+0xca/0x120"
#define PRESSED "(XEN) 'd' pressed -> dumping registers\r\n(XEN) \r\n"
#define RECORD	"(XEN) HPP1 01234567 3 S w=flush-all i=1 ns=1 tsc=2 #e18cc6f6\r\n"

static const struct {
	const char *text, *words;
} answers[] = {
	{"", "Xen does not answer its debug keys"},
	{"\r\n\r\n", "Xen does not answer its debug keys"},
	/* A terminal server that echoes, and a report that goes on, are no answer. */
	{"d", "Xen does not answer its debug keys"},
	{RECORD RECORD, "Xen does not answer its debug keys"},
	{PRESSED, "Xen answers its debug keys"},
	{RECORD PRESSED, "Xen answers its debug keys"},
	{PRESSED CPU(0, FLUSH), "Xen answers its debug keys on 1 CPU: CPU 0 is at "
				"flush_area_mask+0xca/0x120"},
	/* The first is whoever took the interrupt; CPU 0 does the work. */
	{PRESSED CPU(4, IDLE) CPU(0, FLUSH) CPU(1, IDLE),
		"Xen answers its debug keys on 3 CPUs: CPU 0 is at flush_area_mask+0xca/0x120"},
	{PRESSED CPU(0, FLUSH) CPU(1, IDLE),
		"Xen answers its debug keys on 2 CPUs: CPU 0 is at flush_area_mask+0xca/0x120"},
	{PRESSED CPU(4, IDLE) CPU(5, FLUSH), "Xen answers its debug keys on 2 CPUs: CPU 4 is at "
					     "arch/x86/domain.c#default_idle+0xc6/0xf0"},
	{PRESSED CPU(0, FLUSH) CPU(1, IDLE) PRESSED CPU(0, IDLE),
		"Xen answers its debug keys on 3 CPUs: CPU 0 is at flush_area_mask+0xca/0x120"},
	/* Cut off, without symbols, or damaged. */
	{PRESSED "(XEN) *** Dumping CPU0 host state: ***\r\n(XEN) RIP:    e0",
		"Xen answers its debug keys on 1 CPU: CPU 0 is at an unknown place"},
	{PRESSED "(XEN) *** Dumping CPU0 host state: ***",
		"Xen answers its debug keys on 1 CPU: CPU 0 is at an unknown place"},
	{PRESSED CPU(12, "[<ffff82d04033e0fa>]"),
		"Xen answers its debug keys on 1 CPU: CPU 12 is at ffff82d04033e0fa"},
	{PRESSED CPU(12, "[<ffff82d04033"),
		"Xen answers its debug keys on 1 CPU: CPU 12 is at ffff82d04033"},
	{"(XEN) *** Dumping CPU host state: ***\r\n(XEN) *** Dumping CPU\r\n(XEN) *** Dumping "
	 "CPU99999999 host state\r\n",
		"Xen answers its debug keys"},
	{"(XEN)  host state*** Dumping CPU0\r\n", "Xen answers its debug keys"},
};

static void an_answer_in_words(void **state)
{
	struct debug_answer a;
	char words[256];

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		/* On the heap, so that a byte behind it is found out. */
		size_t n = strlen(answers[i].text);
		char *text = malloc(n ? n : 1);

		memcpy(text, answers[i].text, n);
		debug_keys_answer(&a, text, n);
		free(text);
		debug_keys_words(&a, words, sizeof(words));
		assert_string_equal(words, answers[i].words);
	}
}

static void a_place_has_its_limit_and_nothing_that_paints(void **state)
{
	char text[512] = "(XEN) *** Dumping CPU0 host state: ***\n(XEN) RIP: e008:[<0>] \x1b[31m";
	struct debug_answer a;

	(void)state;
	memset(text + strlen(text), 'x', 300);
	debug_keys_answer(&a, text, strlen(text));
	assert_int_equal(strlen(a.where), sizeof(a.where) - 1);
	assert_null(strchr(a.where, '\x1b'));
}

static const struct {
	const char *console;
	bool xen;
} last[] = {
	{"", false},
	{"\r\n", false},
	{"(XEN) Brought up 8 CPUs\r\n", true},
	{"(XEN) Brought up 8 CPUs\r\n\r\n\r\n", true},
	{"(XEN) Brought", true},
	{"(XEN) \r\n", true},
	{"http://10.0.2.2/dummy... ok\x1b[0m(XEN) Xen version 4.17.5\r\n", true},
	{"(XEN) [2026-11-30 12:00:00] Brought up 8 CPUs\r\n", true},
	{"(XEN) Brought up 8 CPUs\r\nSeaBIOS (version 1.16)\r\n", false},
	{"(XEN) Brought up 8 CPUs\r\niPXE> ", false},
	{"iPXE> ", false},
	{"(XEN) *** Serial input to DOM0\r\nlogin: ", false},
};

static void keys_are_for_whoever_spoke_last(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		assert_int_equal(debug_keys_xen_listens(last[i].console, strlen(last[i].console)),
			last[i].xen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_in_words),
		cmocka_unit_test(a_place_has_its_limit_and_nothing_that_paints),
		cmocka_unit_test(keys_are_for_whoever_spoke_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
