/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <string.h>

#include "harness/ipmi_parse.h"
#include "harness/ipmi_ping.h"

static void power_is_read_from_the_whole_word(void **state)
{
	static const struct {
		const char *text;
		int want;
	} cases[] = {
		{"Chassis Power is on\n", 1},
		{"Chassis Power is off\n", 0},
		{"Loading IANA PEN Registry...\nChassis Power is on\r\n", 1},
		{"Chassis Power is on", 1},
		{"Chassis Power is only a rumour\n", -1},
		{"Chassis Power is offline\n", -1},
		{"Chassis Power is \n", -1},
		{"Unable to get Chassis Power Status\n", -1},
		{"", -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(ipmi_parse_power(cases[i].text), cases[i].want);
}

static void control_counts_only_when_it_was_accepted(void **state)
{
	(void)state;
	assert_true(ipmi_parse_control("Chassis Power Control: Up/On\n"));
	assert_false(ipmi_parse_control("Set Chassis Power Control to Up/On failed: Node busy\n"));
	assert_false(ipmi_parse_control("Unable to set Chassis Power Control to Up/On\n"));
	assert_false(ipmi_parse_control(""));
}

static void faults_are_told_apart_by_their_reason(void **state)
{
	static const char no_session[] = "Error: Unable to establish IPMI v2 / RMCP+ session\n";
	static const struct {
		const char *text;
		enum ipmi_fault want;
	} cases[] = {
		{"> RAKP 2 HMAC is invalid\n", IPMI_FAULT_PASSWORD},
		{"RAKP 2 message indicates an error : unauthorized name\n", IPMI_FAULT_USER},
		{"RAKP 2 message indicates an error : unauthorized role requested\n",
			IPMI_FAULT_PRIVILEGE},
		{"Error in open session response message : invalid authentication algorithm\n",
			IPMI_FAULT_CIPHER},
		{"Error in open session response message : no matching integrity payload\n",
			IPMI_FAULT_CIPHER},
		{"Error in open session response message : insufficient resources for session\n",
			IPMI_FAULT_SESSIONS},
		{"> RAKP 4 message has invalid integrity check value\n", IPMI_FAULT_KEY},
		{"Get Auth Capabilities error\n", IPMI_FAULT_UNREACHABLE},
		{"Address lookup for lab.invalid failed\nCould not open socket!\n",
			IPMI_FAULT_RESOLVE},
		{"", IPMI_FAULT_SESSION},
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "Loading IANA PEN Registry...\n%s%s", cases[i].text,
			no_session);
		assert_int_equal(ipmi_parse_fault(text), cases[i].want);
	}
	assert_int_equal(ipmi_parse_fault("Chassis Power is on\n"), IPMI_FAULT_NONE);
	assert_int_equal(ipmi_parse_fault("Info: SOL payload already active on another session\n"),
		IPMI_FAULT_SOL_BUSY);
	assert_int_equal(
		ipmi_parse_fault("Info: SOL payload already de-activated\n"), IPMI_FAULT_NONE);
	assert_int_equal(ipmi_parse_fault("Info: SOL payload disabled\n"), IPMI_FAULT_SOL_DISABLED);
}

static void boot_device_is_what_was_read_back(void **state)
{
	static const char pxe[] =
		"Boot parameter version: 1\n Boot Flags :\n   - Boot Flag Invalid\n"
		"   - BIOS PC Compatible (legacy) boot \n   - Boot Device Selector : Force PXE\n";
	struct ipmi_boot b = ipmi_parse_boot(pxe);

	(void)state;
	assert_true(b.known);
	assert_true(b.network);
	assert_false(b.efi);
	b = ipmi_parse_boot("   - BIOS EFI boot \n   - Boot Device Selector : Force PXE\r\n");
	assert_true(b.network);
	assert_true(b.efi);
	assert_false(b.valid);
	assert_true(ipmi_parse_boot("   - Boot Flag Valid\n   - Boot Device Selector : Force PXE\n")
			    .valid);
	assert_string_equal(b.device, "Force PXE");
	b = ipmi_parse_boot("   - Boot Device Selector : No override\n");
	assert_true(b.known);
	assert_false(b.network);
	assert_string_equal(b.device, "No override");
	assert_false(ipmi_parse_boot("Boot Device Selector : ").known);
	assert_false(ipmi_parse_boot("Get Chassis Boot Parameters failed").known);
}

static void activation_of_sol_is_read_from_three_bytes_alone(void **state)
{
	(void)state;
	assert_int_equal(ipmi_parse_sol_active(" 01 01 00\n"), 1);
	assert_int_equal(ipmi_parse_sol_active("Loading IANA PEN Registry...\n 0f 00 80\r\n"), 1);
	assert_int_equal(ipmi_parse_sol_active(" 01 00 00\n"), 0);
	assert_int_equal(ipmi_parse_sol_active(" 01 00\n"), -1);
	assert_int_equal(ipmi_parse_sol_active("Unable to send RAW command (cmd=0x4a)\n"), -1);
	assert_int_equal(ipmi_parse_sol_active("bad cafe\n"), -1);
	assert_int_equal(ipmi_parse_sol_active(""), -1);
}

static void last_line_skips_chatter(void **state)
{
	char out[32];

	(void)state;
	ipmi_parse_last_line("Loading IANA PEN Registry...\n  one\r\n  two words  \n\nDiscovered "
			     "IPMB address 0x0\n",
		out, sizeof(out));
	assert_string_equal(out, "two words  ");
	ipmi_parse_last_line("Loading IANA\n", out, sizeof(out));
	assert_string_equal(out, "");
	ipmi_parse_last_line("a line that is longer than there is room for it\n", out, 8);
	assert_string_equal(out, "a line ");
}

static void console_begins_after_the_banner_whatever_the_chunks(void **state)
{
	static const char text[] = "Info: SOL payload already de-activated\n"
				   "[SOL Session operational.  Use ~? for help]\nhello";
	size_t want = strlen(text) - strlen("hello");

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++)
		assert_int_equal(ipmi_parse_sol_start(text, n), n < want ? 0 : want);
}

static void closing_words_are_no_console_data(void **state)
{
	char a[] = "login: \nSOL session closed by BMC\n", b[] = "nothing of that kind\n";
	bool closed = false;
	size_t n = ipmi_parse_sol_end(a, strlen(a), &closed);

	(void)state;
	assert_true(closed);
	assert_int_equal(n, strlen("login: \n"));
	assert_memory_equal(a, "login: \n", n);
	closed = false;
	assert_int_equal(ipmi_parse_sol_end(b, strlen(b), &closed), strlen(b));
	assert_false(closed);
}

/* IPMI 2.0, 22.13: to the BMC, Get Channel Authentication Capabilities, this channel, admin. */
static void question_is_the_packet_of_the_specification(void **state)
{
	static const uint8_t want[] = {0x06, 0x00, 0xff, 0x07, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0x20,
		0x18, 0xc8, 0x81, 0x00, 0x38, 0x8e, 0x04, 0xb5};
	uint8_t got[IPMI_PACKET_MAX];

	(void)state;
	assert_int_equal(ipmi_packet_make(IPMI_ASK_AUTH, got), sizeof(want));
	assert_memory_equal(got, want, sizeof(want));
}

static void answer_counts_only_when_every_part_of_it_is_right(void **state)
{
	/* As ipmi_sim without a GUID answers. */
	static const uint8_t good[] = {0x06, 0x00, 0xff, 0x07, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
		0x81, 0x1c, 0x63, 0x20, 0x00, 0x38, 0x00, 0x01, 0x17, 0x04, 0, 0, 0, 0, 0, 0x8c};
	uint8_t bad[sizeof(good)];
	const uint8_t *data;
	size_t len = 0;

	(void)state;
	data = ipmi_packet_answer(IPMI_ASK_AUTH, good, sizeof(good), &len);
	assert_non_null(data);
	assert_int_equal(len, 8);
	assert_int_equal(data[1], 0x17);
	assert_null(ipmi_packet_answer(IPMI_ASK_GUID, good, sizeof(good), &len));
	for (size_t n = 0; n < sizeof(good); n++)
		assert_null(ipmi_packet_answer(IPMI_ASK_AUTH, good, n, &len));
	/* One damaged byte anywhere but in what RMCP leaves free and in the session's numbers. */
	for (size_t i = 13; i < sizeof(good); i++) {
		memcpy(bad, good, sizeof(bad));
		bad[i] ^= 0x55;
		assert_null(ipmi_packet_answer(IPMI_ASK_AUTH, bad, sizeof(bad), &len));
	}
}

static void boot_flags_are_told_in_words(void **state)
{
	static const struct {
		const char *text, *words;
		int device;
	} cases[] = {
		{" 01 05 00 00 00 00 00\n", "nothing", 0},
		{"Running Get PICMG\n 01 05 00 04 00 00 00\n", "PXE once, legacy", 1},
		{" 01 85 e0 04 00 00 00", "PXE always, UEFI", 1},
		{" 01 05 a0 08 00 00 00\r\n", "disk once, UEFI", 2},
		{" 01 05 80 24 00 00 00", "another device once, legacy", 9},
		{" 01 05 80 04 00 00", NULL, 0},
		{" 01 04 80 04 00 00 00", NULL, 0},
		{"Unable to send RAW command (rsp=0xd4): Insufficient privilege level", NULL, 0},
		{"", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned char flags[IPMI_BOOT_FLAGS];
		char words[64];
		int device;

		assert_int_equal(
			ipmi_parse_boot_flags(cases[i].text, flags), cases[i].words != NULL);
		if (!cases[i].words)
			continue;
		ipmi_boot_words(flags, &device, words, sizeof(words));
		assert_string_equal(words, cases[i].words);
		assert_int_equal(device, cases[i].device);
	}
}

static void the_holder_of_a_console_is_told_as_far_as_it_is_known(void **state)
{
	char who[64];

	(void)state;
	assert_int_equal(
		ipmi_parse_sol_holder(" 82 0c 00 a0 01 00 00 00 00 00 00 00\n"), 0xa0000c82);
	assert_int_equal(ipmi_parse_sol_holder(" 00 00 00 00 01 00\n"), 0);
	assert_int_equal(ipmi_parse_sol_holder("Invalid command\n"), 0);
	ipmi_parse_session("session handle  : 1\nuser id       : 3\nsession type : x\n"
			   "console ip       : 10.0.0.7\nconsole port : 42\n",
		who, sizeof(who));
	assert_string_equal(who, "10.0.0.7, user 3");
	ipmi_parse_session("user id     : 2\n", who, sizeof(who));
	assert_string_equal(who, "user 2");
	ipmi_parse_session("Get Session Info command failed\n", who, sizeof(who));
	assert_string_equal(who, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boot_flags_are_told_in_words),
		cmocka_unit_test(the_holder_of_a_console_is_told_as_far_as_it_is_known),
		cmocka_unit_test(power_is_read_from_the_whole_word),
		cmocka_unit_test(control_counts_only_when_it_was_accepted),
		cmocka_unit_test(faults_are_told_apart_by_their_reason),
		cmocka_unit_test(boot_device_is_what_was_read_back),
		cmocka_unit_test(activation_of_sol_is_read_from_three_bytes_alone),
		cmocka_unit_test(last_line_skips_chatter),
		cmocka_unit_test(console_begins_after_the_banner_whatever_the_chunks),
		cmocka_unit_test(closing_words_are_no_console_data),
		cmocka_unit_test(question_is_the_packet_of_the_specification),
		cmocka_unit_test(answer_counts_only_when_every_part_of_it_is_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
