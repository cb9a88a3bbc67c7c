/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Consoles that hold more than one boot, or one that went wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/base/path.h"
#include "harness/facts.h"
#include "harness/probe.h"
#include "tests/unit/report.h"

/* What a console is made of, a letter each. */
enum part {
	END,
	OUR_BOOT,   /* banner, command line, facts */
	OUR_REPORT, /* two passes */
	OUR_HALF,   /* a pass that breaks off */
	OTHER_BOOT, /* the same of another nonce */
	OTHER_REPORT,
	PLAIN_BOOT, /* a hypervisor without a probe on its command line */
	BANNER,	    /* the first line alone */
	PANIC,
	PANIC_TAIL,  /* the end of a panic that was replayed */
	LIVE,	     /* probe_live() */
	MIXED_FACTS, /* says that the mode became mixed */
	NOISE,
};

static void add_part(struct buf *b, enum part part)
{
	struct report_opts ours = REPORT_OPTS, other = REPORT_OPTS;
	char *from;

	other.nonce = other.begin_nonce = OTHER_NONCE;
	other.apic = "x2apic_phys";
	switch (part) {
	case OUR_BOOT:
		report_boot(b, NONCE);
		break;
	case OUR_REPORT:
		report_all(b, &ours);
		break;
	case OUR_HALF:
		report_pass(b, &ours);
		from = strstr(b->data, "END w=flush-all");
		b->len = (size_t)(from - b->data);
		buf_adds(b, "\r\n");
		break;
	case OTHER_BOOT:
		report_boot(b, OTHER_NONCE);
		break;
	case OTHER_REPORT:
		report_all(b, &other);
		break;
	case PLAIN_BOOT:
		buf_adds(b, "(XEN) Xen version 4.14.0 (x) (gcc) debug=n  date\r\n"
			    "(XEN) Command line: placeholder dom0_mem=1G\r\n");
		break;
	case BANNER:
		buf_adds(b, "(XEN) Xen version 4.17.5 (x) (gcc) debug=n  date\r\n");
		break;
	case PANIC:
	case PANIC_TAIL:
		buf_adds(b, "(XEN) \r\n(XEN) ****************************************\r\n"
			    "(XEN) Panic on CPU 3:\r\n"
			    "(XEN) Unable to find usable platform timer\r\n"
			    "(XEN) ****************************************\r\n(XEN) \r\n"
			    "(XEN) Reboot in five seconds...\r\n");
		break;
	case MIXED_FACTS:
		buf_adds(b, "(XEN) Switched to APIC driver x2apic_mixed\r\n");
		break;
	case NOISE:
		buf_adds(b, "\x1b[2J\x1b[1;1HSeaBIOS (version 1.16)\r\nBooting...\r\n");
		break;
	default:
		break;
	}
}

static const struct {
	enum part parts[10];
	enum probe_state state;
	enum outcome outcome;
	const char *says; /* in the message, or in the flags of a good boot */
} cases[] = {
	{{END}, PROBE_WAITING, OUTCOME_LAB, "nothing from a hypervisor"},
	{{NOISE}, PROBE_WAITING, OUTCOME_LAB, "nothing from a hypervisor"},
	{{NOISE, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK, ""},

	/* crashes */
	{{OUR_BOOT, PANIC}, PROBE_DEAD, OUTCOME_CRASH, "Unable to find usable platform timer"},
	{{OUR_BOOT, OUR_HALF, PANIC}, PROBE_DEAD, OUTCOME_CRASH, "Unable to find"},
	{{OUR_BOOT, BANNER}, PROBE_BOOTING, OUTCOME_CRASH, "replayed or machine restarted"},
	{{OUR_BOOT, OUR_HALF, BANNER}, PROBE_BEGUN, OUTCOME_CRASH, "replayed or machine restarted"},
	{{OUR_BOOT, BANNER, BANNER}, PROBE_DEAD, OUTCOME_CRASH, "replayed or machine restarted"},
	{{BANNER, BANNER}, PROBE_DEAD, OUTCOME_CRASH, "replayed or machine restarted"},
	{{OUR_BOOT, OUR_HALF, PLAIN_BOOT}, PROBE_DEAD, OUTCOME_CRASH, "replayed or machine"},
	{{OUR_BOOT, OTHER_BOOT, OTHER_REPORT}, PROBE_DEAD, OUTCOME_CRASH, "replayed or machine"},
	{{OUR_BOOT, BANNER, OTHER_REPORT}, PROBE_DEAD, OUTCOME_CRASH, "replayed or machine"},
	{{OUR_BOOT, BANNER, PANIC}, PROBE_DEAD, OUTCOME_CRASH, "Unable to find"},

	/* a console that is opened again and shows our boot from its start */
	{{OUR_BOOT, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK, "replayed 1 time"},
	{{OUR_BOOT, OUR_HALF, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK, "replayed 1 time"},
	{{OUR_BOOT, OUR_BOOT, OUR_HALF, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK,
		"replayed 2 times"},
	{{OUR_BOOT, OUR_HALF, BANNER, MIXED_FACTS, OUR_REPORT}, PROBE_DONE, OUTCOME_OK,
		"replayed 1 time"},
	{{OUR_BOOT, OUR_HALF, OUR_BOOT}, PROBE_BEGUN, OUTCOME_CRASH, "broke off"},
	{{OUR_BOOT, OUR_HALF, OUR_BOOT, PANIC}, PROBE_DEAD, OUTCOME_CRASH, "Unable to find"},
	{{BANNER, PANIC}, PROBE_DEAD, OUTCOME_CRASH, "Unable to find"},
	{{OUR_BOOT, OUR_HALF}, PROBE_BEGUN, OUTCOME_CRASH, "broke off"},
	{{OUR_BOOT}, PROBE_BOOTING, OUTCOME_CRASH, "before the probe's first record"},
	{{LIVE, PANIC}, PROBE_DEAD, OUTCOME_CRASH, "Unable to find"},

	/* after the report nothing can spoil it */
	{{OUR_BOOT, OUR_REPORT, PANIC}, PROBE_DONE, OUTCOME_OK, "panic after the report"},
	{{OUR_BOOT, OUR_REPORT, NOISE, OUR_BOOT, OUR_HALF}, PROBE_DONE, OUTCOME_OK, ""},
	{{OUR_BOOT, OUR_REPORT, OUR_BOOT, MIXED_FACTS, PANIC}, PROBE_DONE, OUTCOME_OK, ""},

	/* what earlier boots left in the console never counts */
	{{OTHER_BOOT, OTHER_REPORT, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK,
		"report of another boot left out (nonce fedcba98)"},
	{{OTHER_REPORT, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK, "left out"},
	{{OTHER_BOOT, PANIC, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK, ""},
	{{PLAIN_BOOT, MIXED_FACTS, PANIC, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK, ""},
	{{PANIC_TAIL, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK, ""},
	{{OTHER_BOOT, OTHER_REPORT, LIVE, OUR_BOOT, OUR_REPORT}, PROBE_DONE, OUTCOME_OK,
		"left out"},
	{{OTHER_BOOT, OTHER_REPORT, OUR_BOOT}, PROBE_BOOTING, OUTCOME_CRASH, "first record"},
	{{OTHER_BOOT, OTHER_REPORT, OUR_BOOT, PANIC}, PROBE_DEAD, OUTCOME_CRASH, "Unable"},

	/* not our image */
	{{OTHER_BOOT, OTHER_REPORT}, PROBE_BOOTING, OUTCOME_WRONG_IMAGE, "fedcba98"},
	{{OTHER_REPORT}, PROBE_BOOTING, OUTCOME_WRONG_IMAGE, "fedcba98"},
	{{LIVE, OTHER_BOOT, OTHER_REPORT}, PROBE_DEAD, OUTCOME_WRONG_IMAGE, "fedcba98"},
	{{PLAIN_BOOT}, PROBE_BOOTING, OUTCOME_WRONG_IMAGE, "command line"},
	{{PLAIN_BOOT, PANIC}, PROBE_BOOTING, OUTCOME_WRONG_IMAGE, "command line"},
	{{BANNER}, PROBE_BOOTING, OUTCOME_WRONG_IMAGE, "no probe reported"},
};

static void probe_tells_boots_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct probe *p = probe_new(NONCE);
		const struct probe_expect x = REPORT_EXPECT;
		struct boot_result r = {.mode = "cluster"};
		struct buf b;

		buf_init(&b, 1 << 20);
		for (const enum part *part = cases[i].parts; *part; part++) {
			if (*part == LIVE)
				probe_live(p);
			buf_clear(&b);
			add_part(&b, *part);
			probe_feed(p, b.data, b.len);
		}
		if (probe_state(p) != cases[i].state)
			print_message("case %zu\n", i);
		assert_int_equal(probe_state(p), cases[i].state);
		probe_finish(p, &r, &x);
		if (r.outcome != cases[i].outcome)
			print_message("case %zu: %s\n", i, r.err.msg);
		assert_int_equal(r.outcome, cases[i].outcome);
		assert_non_null(
			strstr(r.outcome == OUTCOME_OK ? r.flags : r.err.msg, cases[i].says));
		if (r.outcome == OUTCOME_OK) {
			assert_string_equal(r.effective, "cluster");
			assert_string_equal(r.facts.apic_driver, "x2apic_cluster");
			assert_string_equal(r.facts.mode_reason, "");
			for (int s = 0; s < SAMPLES + WARMUP; s++)
				assert_int_equal(r.samples[s].ns, report_ns(s));
		} else {
			assert_null(r.samples);
		}
		free(r.samples);
		buf_release(&b);
		probe_free(p);
	}
}

static void probe_ignores_what_only_looks_like_a_record(void **state)
{
	static const char *const lines[] = {
		"HPP1 01234567 9999999 S w=x #00000000\n",
		"HPP1 01234567 1 S w=x #d6a3f1\n",
		"HPP1 01234567 1 S w=x #\n",
		"HPP1 \n",
		"HPP1 HPP1 HPP1 #\n",
		" #\n",
	};
	static const char *const grammar[] = {
		"S  w=x", "s w=x", "S w", "S w=", "S =x", "S w=x ", "S W=x", "S w1=x"};
	struct probe *p = probe_new(NONCE);
	struct boot_result r = {0};
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 16);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		buf_adds(&b, lines[i]);
	for (size_t i = 0; i < sizeof(grammar) / sizeof(grammar[0]); i++)
		report_record(&b, NONCE, 1, grammar[i]);
	report_record(&b, "0123456G", 1, "S w=x");
	buf_adds(&b, "HPP1 01234567 01 S w=x #");
	buf_addf(&b, "%08lx\n", crc32(0, (const Bytef *)"HPP1 01234567 01 S w=x", 22));
	assert_int_equal(probe_feed(p, b.data, b.len), PROBE_BOOTING);
	probe_finish(p, &r, &(struct probe_expect){.samples = 1});
	assert_int_equal(r.outcome, OUTCOME_WRONG_IMAGE);
	buf_release(&b);
	probe_free(p);
}

static void probe_survives_sequence_numbers_past_its_table(void **state)
{
	struct report_opts o = REPORT_OPTS;
	struct probe *p = probe_new(NONCE);
	struct boot_result r = {0};
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 16);
	report_record(&b, NONCE, PROBE_RECORDS_MAX, "S w=flush-all i=1 ns=1 tsc=1");
	report_all(&b, &o);
	probe_feed(p, b.data, b.len);
	probe_finish(p, &r, &(struct probe_expect){.samples = SAMPLES, .warmup = WARMUP});
	assert_int_equal(r.outcome, OUTCOME_INCOMPLETE);
	buf_release(&b);
	probe_free(p);
}

static void probe_reads_time_stamped_and_coloured_lines(void **state)
{
	struct probe *p = probe_new(NONCE);
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 16);
	buf_adds(&b,
		"\x1b[0m(XEN) [2026-11-30 13:00:01] Xen version 4.19.1 (x) (gcc 13) debug=y  d\n"
		"(XEN) [    0.1] Brought \x1b[1mup\x1b[0m 512 CPUs\x1b(B\n"
		"(XEN) Using APIC driver flat(XEN) Platform timer is 24.0MHz HPET\n");
	probe_feed(p, b.data, b.len);
	assert_string_equal(probe_facts(p)->hypervisor, "4.19.1");
	assert_string_equal(probe_facts(p)->compiler, "gcc 13");
	assert_int_equal(probe_facts(p)->debug, 1);
	assert_int_equal(probe_facts(p)->cpus_online, 512);
	assert_string_equal(probe_facts(p)->apic_driver, "flat");
	assert_string_equal(probe_facts(p)->platform_timer, "24.0MHz HPET");
	buf_release(&b);
	probe_free(p);
}

static void facts_take_what_a_message_says(void **state)
{
	static const char *const said[] = {
		"CPU Vendor: Intel, Family 6 (0x6), Model 143 (0x8f), Stepping 8 (raw 000806f8)",
		"BSP microcode revision: 0x2b000461",
		"microcode: CPU0 updated from revision 0x2b000461 to 0x2b000603, date = 2024-07-16",
		"microcode: CPU1 updated from revision 0x1 to 0x9, date = 2024-07-16",
		"CPU0: Thermal monitoring enabled",
		"Detected 2000 processors",
		"Overriding APIC driver with bigsmp",
		"Failed to enable Interrupt Remapping",
		"ACPI FADT forcing x2APIC physical mode",
		"Not enabling x2APIC (upon firmware request)",
		"build-id: \xff\x01",
	};
	struct facts f;

	(void)state;
	facts_init(&f);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		facts_message(&f, said[i], strlen(said[i]));
	assert_string_equal(f.cpu_vendor, "Intel");
	assert_string_equal(f.cpu_model, "Intel family 6 model 143 stepping 8");
	assert_string_equal(f.microcode, "0x2b000603");
	assert_int_equal(f.tsc_khz, -1);
	assert_string_equal(f.apic_driver, "bigsmp");
	assert_string_equal(f.mode_reason, "ACPI FADT forcing x2APIC physical mode");
	assert_string_equal(f.build_id, "??");
}

/* Consoles of a virtual machine as they came, iPXE's screen included. */
static void probe_reads_real_consoles(void **state)
{
	static const struct {
		const char *file;
		enum outcome outcome;
		const char *effective, *reason;
		int64_t first, last;
	} real[] = {
		{"tests/data/console-cluster.txt", OUTCOME_OK, "cluster", "", 28624012, 28085369},
		{"tests/data/console-fallback.txt", OUTCOME_MODE_MISMATCH, "mixed",
			"WARNING: x2APIC cluster mode is not supported without interrupt remapping "
			"- forcing mixed mode",
			27367912, 66314083},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		struct boot_result r = {.mode = "cluster"};
		struct err e = ERR_INIT;
		char nonce[NONCE_HEX + 1] = "";
		struct probe *p;
		struct buf b;

		buf_init(&b, 1 << 20);
		assert_int_equal(path_read(real[i].file, &b, &e), 0);
		assert_int_equal(sscanf(strstr(b.data, "hp_nonce="), "hp_nonce=%32s", nonce), 1);
		p = probe_new(nonce);
		assert_int_equal(probe_feed(p, b.data, b.len), PROBE_DONE);
		probe_finish(p, &r,
			&(struct probe_expect){8, 1, "32a90aa6bfeb9d86ead8482e912d9f9a4e7e2ccf",
				"flush-all", 200, 5, 2, false});
		assert_int_equal(r.outcome, real[i].outcome);
		assert_string_equal(r.effective, real[i].effective);
		assert_string_equal(r.facts.mode_reason, real[i].reason);
		assert_string_equal(r.facts.hypervisor, "4.17.5");
		assert_string_equal(r.facts.compiler, "gcc (Debian 12.2.0-14+deb12u1) 12.2.0");
		assert_string_equal(r.facts.cpu_model, "AMD QEMU TCG CPU version 2.5+");
		assert_string_equal(r.facts.platform_timer, "100.000MHz HPET");
		assert_int_equal(r.n_samples, 7);
		assert_int_equal(r.samples[0].ns, real[i].first);
		assert_int_equal(r.samples[6].ns, real[i].last);
		free(r.samples);
		probe_free(p);
		buf_release(&b);
	}
}

static void probe_names_the_modes_of_drivers(void **state)
{
	(void)state;
	assert_string_equal(probe_mode_of_driver("x2apic_cluster"), "cluster");
	assert_string_equal(probe_mode_of_driver("x2apic_phys"), "physical");
	assert_string_equal(probe_mode_of_driver("x2apic_mixed"), "mixed");
	assert_string_equal(probe_mode_of_driver("flat"), "flat");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe_tells_boots_apart),
		cmocka_unit_test(probe_ignores_what_only_looks_like_a_record),
		cmocka_unit_test(probe_survives_sequence_numbers_past_its_table),
		cmocka_unit_test(probe_reads_time_stamped_and_coloured_lines),
		cmocka_unit_test(facts_take_what_a_message_says),
		cmocka_unit_test(probe_reads_real_consoles),
		cmocka_unit_test(probe_names_the_modes_of_drivers),
	};
	return cmocka_run_group_tests_name("probe_boots", tests, NULL, NULL);
}
