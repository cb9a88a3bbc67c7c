/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <stdbool.h>

#include "harness/probe.h"
#include "harness/remarks.h"
#include "tests/unit/report.h"

#define NONE REMARK_KINDS

/* As hypervisor and kernel write them, and what counts: before the report has begun, and after. */
static const struct {
	const char *line;
	enum remark_kind before, after;
} lines[] = {
	{"CPU3: Machine Check Exception:                5", REMARK_MACHINE_CHECK,
		REMARK_MACHINE_CHECK},
	{"CMCI occurred on CPU 12.", REMARK_MACHINE_CHECK, REMARK_MACHINE_CHECK},
	{"POLLED occurred on CPU 0.", REMARK_MACHINE_CHECK, REMARK_MACHINE_CHECK},
	{"Bank 5: bc00000000000400 at         fee00040", REMARK_MACHINE_CHECK,
		REMARK_MACHINE_CHECK},
	{"MCE: polling routine found correctable error. Use mcelog to parse above error output.",
		REMARK_MACHINE_CHECK, REMARK_MACHINE_CHECK},
	{"CPU counter reports 2 correctable hardware errors that were not reported by the status "
	 "MSRs",
		REMARK_MACHINE_CHECK, REMARK_MACHINE_CHECK},
	{"Fatal machine check: MCE: No CPU found valid MCE, need reset", REMARK_MACHINE_CHECK,
		REMARK_MACHINE_CHECK},
	{"Failed to offline page 0x1234 for MCE error", REMARK_MACHINE_CHECK, REMARK_MACHINE_CHECK},
	{"MCE: Error can't be recovered, system is tainted", REMARK_MACHINE_CHECK,
		REMARK_MACHINE_CHECK},
	{"mce: [Hardware Error]: CPU 4: Machine Check: 0 Bank 5: be00000000800400",
		REMARK_MACHINE_CHECK, REMARK_MACHINE_CHECK},
	{"{1}[Hardware Error]: It has been corrected by h/w", REMARK_MACHINE_CHECK,
		REMARK_MACHINE_CHECK},
	{"EDAC MC0: 1 CE memory read error on CPU_SrcID#0_Ha#0_Chan#1_DIMM#0", REMARK_MACHINE_CHECK,
		REMARK_MACHINE_CHECK},
	{"CPU7: Temperature above threshold", REMARK_THERMAL, REMARK_THERMAL},
	{"CPU7: Running in modulated clock mode", REMARK_THERMAL, REMARK_THERMAL},
	{"CPU7: Temperature/speed normal", REMARK_THERMAL, REMARK_THERMAL},
	{"mce: CPU3: Core temperature above threshold, cpu clock throttled (total events = 1)",
		REMARK_THERMAL, REMARK_THERMAL},
	{"CPU3: Package power limit notification (total events = 2)", REMARK_THERMAL,
		REMARK_THERMAL},
	{"Platform timer appears to have unexpectedly wrapped 10 or more times.", REMARK_CLOCK,
		REMARK_CLOCK},
	{"TSC warp detected, disabling TSC_RELIABLE", REMARK_CLOCK, REMARK_CLOCK},
	{"TSC: Not invariant across sockets", REMARK_CLOCK, REMARK_CLOCK},
	{"WARNING: Unrecognised clocksource 'nosuch'.", REMARK_CLOCK, REMARK_CLOCK},
	{"WARNING: Could not initialise clocksource 'hpet'.", REMARK_CLOCK, REMARK_CLOCK},
	{"Switched to Platform timer 2.000GHz TSC", NONE, REMARK_CLOCK},
	{"Platform timer is 14.318MHz HPET", NONE, REMARK_CLOCK},
	{"clocksource: Switched to clocksource hpet", NONE, REMARK_CLOCK},
	{"clocksource: timekeeping watchdog on CPU2: Marking clocksource 'tsc' as unstable because "
	 "the skew is too large:",
		REMARK_CLOCK, REMARK_CLOCK},
	{"tsc: Marking TSC unstable due to clocksource watchdog", REMARK_CLOCK, REMARK_CLOCK},
	{"Failed to bring up CPU 17 (error -5)", REMARK_CPU, REMARK_CPU},
	{"CPU5: Failed to validate features - not coming back online", REMARK_CPU, REMARK_CPU},
	{"CPU 5 still not dead...", REMARK_CPU, REMARK_CPU},
	{"Stuck ??", REMARK_CPU, REMARK_CPU},
	{"Not responding.", REMARK_CPU, REMARK_CPU},
	{"Broke affinity for IRQ18, new: ff", REMARK_CPU, REMARK_CPU},
	{"smpboot: CPU 3 is now offline", REMARK_CPU, REMARK_CPU},
	{"smpboot: do_boot_cpu failed(-1) to wakeup CPU#3", REMARK_CPU, REMARK_CPU},
	{"CPU3 offline", REMARK_CPU, REMARK_CPU},
	{"Watchdog timer detects that CPU3 is stuck!", REMARK_INTERRUPT, REMARK_INTERRUPT},
	{"Testing NMI watchdog on all CPUs: {1,5} stuck", REMARK_INTERRUPT, REMARK_INTERRUPT},
	{"NMI - PCI system error (SERR)", REMARK_INTERRUPT, REMARK_INTERRUPT},
	{"Uhhuh. NMI received for unknown reason 3d.", REMARK_INTERRUPT, REMARK_INTERRUPT},
	{"APIC error on CPU0: 40(00), Received illegal vector", REMARK_INTERRUPT, REMARK_INTERRUPT},
	{"spurious APIC interrupt on CPU#3, should never happen.", REMARK_INTERRUPT,
		REMARK_INTERRUPT},
	{"CPU0: No irq handler for vector e7 (IRQ -2147483648, LAPIC)", NONE, REMARK_INTERRUPT},
	{"watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [swapper/3:0]", REMARK_INTERRUPT,
		REMARK_INTERRUPT},
	{"rcu: INFO: rcu_sched detected stalls on CPUs/tasks:", REMARK_INTERRUPT, REMARK_INTERRUPT},

	/* what a healthy start says */
	{"CPU0: Thermal monitoring enabled (TM1)", NONE, NONE},
	{"Thermal monitoring handled by SMI", NONE, NONE},
	{"Thermal LVT vector (0xfa) already installed", NONE, NONE},
	{"mcheck_poll: Machine check polling timer started.", NONE, NONE},
	{"CPU0: AMD Fam17h machine check reporting enabled", NONE, NONE},
	{"Intel machine check reporting enabled", NONE, NONE},
	{"CPU0: No machine check initialization", NONE, NONE},
	{"MCA Capability: firstbank 0, extended MCE MSR 0, BCAST, CMCI", NONE, NONE},
	{"CMCI: threshold 0x2 too large for CPU0 bank 17, using 0x1", NONE, NONE},
	{"CMCI: CPU0 has no CMCI support", NONE, NONE},
	{"MCA: Use hw thresholding to adjust polling frequency", NONE, NONE},
	{"mce: CPU supports 20 MCE banks", NONE, NONE},
	{"TSC only partially writable", NONE, NONE},
	{"TSC deadline timer enabled", NONE, NONE},
	{"TSC marked as reliable, warp = 0 (count=2)", NONE, NONE},
	{"Detected 2295.123 MHz processor.", NONE, NONE},
	{"Booting processor 1/2 eip 8c000", NONE, NONE},
	{"Brought up 512 CPUs", NONE, NONE},
	{"Parked 256 CPUs", NONE, NONE},
	{"SMP: Allowing 8 CPUs (0 hotplug CPUs)", NONE, NONE},
	{"Testing NMI watchdog on all CPUs: ok", NONE, NONE},
	{"NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.", NONE, NONE},
	{"ACPI: LAPIC_NMI (acpi_id[0xff] high edge lint[0x1])", NONE, NONE},
	{"HPET: 3 timers usable for broadcast (8 total)", NONE, NONE},
	{"IRQ limits: 24 GSI, 1640 MSI/MSI-X", NONE, NONE},
	{"EDAC MC0: Giving out device to module i10nm_edac controller", NONE, NONE},

	/* not from the start, cut off, or no number where one belongs */
	{" CPU7: Running in modulated clock mode", NONE, NONE},
	{"CPU7: Running in modulated clock", NONE, NONE},
	{"CPUx: Running in modulated clock mode", NONE, NONE},
	{"CPU", NONE, NONE},
	{"", NONE, NONE},
};

static void remarks_know_their_lines(void **state)
{
	struct remarks r;

	(void)state;
	remarks_init(&r);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *line = lines[i].line;

		if (remarks_kind(&r, line, strlen(line), false) != lines[i].before ||
			remarks_kind(&r, line, strlen(line), true) != lines[i].after)
			fail_msg("\"%s\"", line);
	}
}

static void remarks_are_few_and_clean(void **state)
{
	static const char first[] = "mce: [Hardware Error]: \x1b]0;\"Sure\" \xc3\xa4 and on and on "
				    "and on and on and on and on and on and on";
	char words[REMARK_WORDS], *many;
	struct remarks r;

	(void)state;
	remarks_init(&r);
	for (int k = 0; k < REMARK_KINDS; k++)
		assert_false(remarks_words(&r, (enum remark_kind)k, words, sizeof(words)));
	remarks_take(&r, first, sizeof(first) - 1, false);
	remarks_take(&r, "CPU7: Temperature above threshold", 33, false);
	remarks_take(&r, "CPU8: Temperature above threshold", 33, false);
	assert_true(remarks_words(&r, REMARK_MACHINE_CHECK, words, sizeof(words)));
	assert_string_equal(words,
		"machine check: \"mce: [Hardware Error]: ?]0;'Sure' ?? and on and on and on and on "
		"and on and on a\"");
	assert_true(remarks_words(&r, REMARK_THERMAL, words, sizeof(words)));
	assert_string_equal(words, "thermal: \"CPU7: Temperature above threshold\" (2 lines)");
	r.of[REMARK_MACHINE_CHECK].lines = INT32_MAX;
	assert_true(remarks_words(&r, REMARK_MACHINE_CHECK, words, sizeof(words)));
	assert_non_null(strstr(words, "a\" (2147483647 lines)"));

	/* a long line is no reason to be slow, nor to read past its end */
	many = malloc(100000);
	memset(many, '[', 100000);
	for (int i = 0; i < 20; i++)
		assert_int_equal(remarks_kind(&r, many, 100000, true), REMARK_KINDS);
	free(many);
}

/* Consoles with lines of trouble in them, and the flags that come of them. */
enum part {
	END,
	OUR_BOOT,
	OUR_REPORT,
	OUR_PASS,
	OTHER_BOOT,
	OTHER_REPORT,
	LIVE,
	HOT,   /* two lines */
	STAMP, /* with a time, in colour */
	CLOCK,
	KERNEL, /* of a system under the hypervisor */
};

static void feed(struct probe *p, enum part part)
{
	struct report_opts ours = REPORT_OPTS, other = REPORT_OPTS;
	struct buf b;

	other.nonce = other.begin_nonce = OTHER_NONCE;
	buf_init(&b, 1 << 20);
	switch (part) {
	case OUR_BOOT:
		report_boot(&b, NONCE);
		break;
	case OUR_REPORT:
		report_all(&b, &ours);
		break;
	case OUR_PASS:
		report_pass(&b, &ours);
		break;
	case OTHER_BOOT:
		report_boot(&b, OTHER_NONCE);
		break;
	case OTHER_REPORT:
		report_all(&b, &other);
		break;
	case LIVE:
		probe_live(p);
		break;
	case HOT:
		buf_adds(&b, "(XEN) CPU7: Temperature above threshold\r\n"
			     "(XEN) CPU7: Running in modulated clock mode\r\n");
		break;
	case STAMP:
		buf_adds(&b, "\x1b[0m(XEN) [2026-11-30 12:00:00.123] CMCI occurred on CPU 3.\r\n");
		break;
	case CLOCK:
		buf_adds(&b, "(XEN) Switched to Platform timer 2.000GHz TSC\r\n");
		break;
	case KERNEL:
		buf_adds(&b,
			"[    1.250000] mce: [Hardware Error]: Machine check events logged\r\n");
		break;
	case END:
		break;
	}
	probe_feed(p, b.data, b.len);
	buf_release(&b);
}

#define HOT_FLAG   "console: thermal: \"CPU7: Temperature above threshold\" (2 lines)"
#define STAMP_FLAG "console: machine check: \"CMCI occurred on CPU 3.\""

static const struct {
	enum part parts[8];
	enum outcome outcome;
	const char *flags;
} boots[] = {
	{{OUR_BOOT, OUR_REPORT}, OUTCOME_OK, ""},
	{{OUR_BOOT, HOT, OUR_REPORT}, OUTCOME_OK, HOT_FLAG},
	{{OUR_BOOT, OUR_PASS, HOT, OUR_PASS}, OUTCOME_OK, HOT_FLAG},
	{{OUR_BOOT, OUR_REPORT, HOT}, OUTCOME_OK, HOT_FLAG},
	{{OUR_BOOT, STAMP, OUR_REPORT}, OUTCOME_OK, STAMP_FLAG},
	{{OUR_BOOT, KERNEL, OUR_REPORT}, OUTCOME_OK,
		"console: machine check: \"mce: [Hardware Error]: Machine check events logged\""},
	{{OUR_BOOT, HOT, OUR_PASS, STAMP}, OUTCOME_OK,
		STAMP_FLAG "; thermal: \"CPU7: Temperature above threshold\" (2 lines); 1 of 2 "
			   "passes ended"},
	{{OUR_BOOT, CLOCK, OUR_REPORT}, OUTCOME_OK, ""},
	{{OUR_BOOT, OUR_PASS, CLOCK, OUR_PASS}, OUTCOME_OK,
		"console: clock: \"Switched to Platform timer 2.000GHz TSC\""},
	{{OUR_BOOT, HOT}, OUTCOME_CRASH, HOT_FLAG},
	{{LIVE, HOT, OUR_REPORT}, OUTCOME_OK, HOT_FLAG},

	/* what an earlier boot said, and what is said once and shown twice */
	{{HOT, OUR_BOOT, OUR_REPORT}, OUTCOME_OK, ""},
	{{HOT, KERNEL, OUR_REPORT}, OUTCOME_OK, ""},
	{{OTHER_BOOT, HOT, OTHER_REPORT, KERNEL, OUR_BOOT, OUR_REPORT}, OUTCOME_OK,
		"console: report of another boot left out (nonce fedcba98)"},
	{{OTHER_BOOT, HOT, OTHER_REPORT}, OUTCOME_WRONG_IMAGE,
		"console: report of another boot left out (nonce fedcba98)"},
	{{OUR_BOOT, HOT, OUR_BOOT, HOT, OUR_REPORT}, OUTCOME_OK, HOT_FLAG "; replayed 1 time"},
	{{OUR_BOOT, OUR_REPORT, OUR_BOOT, HOT, KERNEL}, OUTCOME_OK, ""},
};

static void remarks_of_our_boot_become_flags(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(boots) / sizeof(boots[0]); i++) {
		const struct probe_expect x = REPORT_EXPECT;
		struct boot_result r = {.mode = "cluster"};
		struct probe *p = probe_new(NONCE);

		for (const enum part *part = boots[i].parts; *part; part++)
			feed(p, *part);
		probe_finish(p, &r, &x);
		if (strcmp(r.flags, boots[i].flags))
			print_message("case %zu\n", i);
		assert_string_equal(r.flags, boots[i].flags);
		assert_int_equal(r.outcome, boots[i].outcome);
		free(r.samples);
		probe_free(p);
	}
}

/* Consoles of a virtual machine as they came. */
static void remarks_have_nothing_to_say_of_a_good_boot(void **state)
{
	static const char *const files[] = {
		"tests/data/console-cluster.txt", "tests/data/console-fallback.txt"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct boot_result r = {.mode = ""};
		char nonce[NONCE_HEX + 1] = "";
		struct err e = ERR_INIT;
		struct probe *p;
		struct buf b;

		buf_init(&b, 1 << 20);
		assert_int_equal(path_read(files[i], &b, &e), 0);
		assert_int_equal(sscanf(strstr(b.data, "hp_nonce="), "hp_nonce=%32s", nonce), 1);
		p = probe_new(nonce);
		probe_live(p);
		probe_feed(p, b.data, b.len);
		probe_finish(p, &r, &(struct probe_expect){.samples = 5, .warmup = 2});
		assert_int_equal(r.outcome, OUTCOME_OK);
		assert_string_equal(r.flags, "");
		free(r.samples);
		probe_free(p);
		buf_release(&b);
	}
}

/* One pass of n timings after two of warm-up, ms each as ms(i) has it. */
static const char *flags_of(struct probe *p, int n, double (*ms)(int), bool hot)
{
	const struct probe_expect x = {.samples = (size_t)n, .warmup = 2};
	struct boot_result r = {.mode = "cluster"};
	char rest[224];
	int seq = 0;
	struct buf b;

	buf_init(&b, 1 << 16);
	report_boot(&b, NONCE);
	if (hot)
		buf_adds(&b, "(XEN) CPU7: Temperature above threshold\r\n");
	report_record(&b, NONCE, seq++,
		"BEGIN nonce=" NONCE " probe=1.0 xen=4.17.5 build=" BUILD_ID
		" apic=x2apic_cluster online=8 present=8 sockets=1 khz=2000000 debug=0 "
		"shorthand=0");
	snprintf(rest, sizeof(rest),
		"WORK w=flush-all iters=100 samples=%d warmup=2 cpus=7 clusters=1", n);
	report_record(&b, NONCE, seq++, rest);
	for (int i = 0; i < n + 2; i++) {
		long long ns = (long long)((i < 2 ? 900 : ms(i - 2)) * 1e6);

		snprintf(rest, sizeof(rest), "S w=flush-all i=%d ns=%lld tsc=%lld", i, ns, 2 * ns);
		report_record(&b, NONCE, seq++, rest);
	}
	snprintf(rest, sizeof(rest), "END w=flush-all count=%d", n + 2);
	report_record(&b, NONCE, seq++, rest);
	snprintf(rest, sizeof(rest), "DONE records=%d repeat=1", seq + 1);
	report_record(&b, NONCE, seq, rest);
	probe_feed(p, b.data, b.len);
	probe_finish(p, &r, &x);
	assert_int_equal(r.outcome, OUTCOME_OK);
	assert_int_equal(r.n_samples, n + 2);
	free(r.samples);
	buf_release(&b);
	return r.flags;
}

static double steady(int i)
{
	return 354.6 + i * 7 % 5 * .1 + i * .0001;
}

static double stepped(int i)
{
	return steady(i) + (i >= 12 ? 16.5 : 0);
}

static void remarks_stand_beside_a_boot_that_never_settled(void **state)
{
#define NEVER "never settled: median 354.8 ms in the first half, 371.3 ms in the second"
	static const struct {
		int n;
		double (*ms)(int);
		bool hot;
		const char *flags;
	} boot[] = {
		{24, steady, false, ""},
		{24, stepped, false, NEVER},
		{24, stepped, true,
			"console: thermal: \"CPU7: Temperature above threshold\"; " NEVER},
		{13, stepped, false, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(boot) / sizeof(boot[0]); i++) {
		struct probe *p = probe_new(NONCE);

		assert_string_equal(flags_of(p, boot[i].n, boot[i].ms, boot[i].hot), boot[i].flags);
		probe_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(remarks_know_their_lines),
		cmocka_unit_test(remarks_are_few_and_clean),
		cmocka_unit_test(remarks_of_our_boot_become_flags),
		cmocka_unit_test(remarks_have_nothing_to_say_of_a_good_boot),
		cmocka_unit_test(remarks_stand_beside_a_boot_that_never_settled),
	};
	return cmocka_run_group_tests_name("remarks", tests, NULL, NULL);
}
