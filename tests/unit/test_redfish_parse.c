/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "harness/redfish_parse.h"

static int system_of(const char *text, struct redfish_system *s)
{
	return redfish_parse_system(text, strlen(text), s);
}

static void links_are_paths_on_the_same_service(void **state)
{
	static const struct {
		const char *link, *want;
	} cases[] = {{"/redfish/v1/Systems", "/redfish/v1/Systems"},
		{"https://evil/redfish/v1/Systems", ""}, {"redfish", ""}, {"", ""}, {"/a b", ""},
		{"/a\\r\\nHost: x", ""}, {"/a#b", ""}, {"/\\u00e9", ""}};
	struct redfish_root r;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "{\"Systems\":{\"@odata.id\":\"%s\"}}", cases[i].link);
		assert_int_equal(redfish_parse_root(text, strlen(text), &r), 0);
		assert_string_equal(r.systems, cases[i].want);
		assert_string_equal(r.sessions, "");
	}
	assert_int_equal(redfish_parse_root("[]", 2, &r), -1);
	assert_int_equal(redfish_parse_root("", 0, &r), -1);
	assert_int_equal(redfish_parse_root("{}", 1, &r), -1);
}

static void power_is_on_or_off_or_unknown(void **state)
{
	static const struct {
		const char *text;
		enum power_state want;
	} cases[] = {{"{\"PowerState\":\"On\"}", POWER_ON}, {"{\"PowerState\":\"Off\"}", POWER_OFF},
		{"{\"PowerState\":\"PoweringOff\"}", POWER_UNKNOWN},
		{"{\"PowerState\":true}", POWER_UNKNOWN}, {"{}", POWER_UNKNOWN}};
	struct redfish_system s;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(system_of(cases[i].text, &s), 0);
		assert_int_equal(s.power, cases[i].want);
	}
}

static void reset_types_are_those_that_are_offered(void **state)
{
	struct redfish_system s;

	(void)state;
	system_of("{\"Actions\":{\"#ComputerSystem.Reset\":{\"target\":\"/r\"}}}", &s);
	assert_string_equal(s.reset, "/r");
	assert_string_equal(s.reset_type[POWER_DO_OFF], "ForceOff");
	assert_string_equal(s.reset_type[POWER_DO_ON], "On");
	assert_string_equal(s.reset_type[POWER_DO_CYCLE], "PowerCycle");
	assert_string_equal(s.reset_type[POWER_DO_RESET], "ForceRestart");
	system_of("{\"Actions\":{\"#ComputerSystem.Reset\":{\"target\":\"/r\","
		  "\"ResetType@Redfish.AllowableValues\":[\"ForceOn\",\"ForceRestart\",7]}}}",
		&s);
	assert_null(s.reset_type[POWER_DO_OFF]);
	assert_string_equal(s.reset_type[POWER_DO_ON], "ForceOn");
	assert_string_equal(s.reset_type[POWER_DO_CYCLE], "ForceRestart");
	assert_string_equal(s.reset_type[POWER_DO_RESET], "ForceRestart");
}

static void a_member_is_chosen_by_name_or_path_or_alone(void **state)
{
	static const char two[] =
		"{\"Members\":[{\"@odata.id\":\"/s/a\"},{\"@odata.id\":\"/s/b/\"}]}";
	static const char one[] = "{\"Members\":[{\"@odata.id\":\"/s/a\"}]}";
	static const struct {
		const char *text, *want, *path, *words;
	} cases[] = {{one, "", "/s/a", NULL}, {two, "a", "/s/a", NULL}, {two, "b", "/s/b/", NULL},
		{two, "/s/b", "/s/b/", NULL}, {two, "", NULL, "several systems: /s/a, /s/b/"},
		{two, "c", NULL, "no system \"c\", only /s/a, /s/b/"},
		{"{}", "", NULL, "lists no system"}, {"x", "", NULL, "no JSON object"}};
	char path[REDFISH_PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		int rc = redfish_parse_member(
			cases[i].text, strlen(cases[i].text), cases[i].want, path, &e);

		assert_int_equal(rc, cases[i].path ? 0 : -ERR_LAB);
		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_non_null(strstr(e.msg, cases[i].words));
	}
}

static void a_session_is_named_by_header_or_body(void **state)
{
	static const char body[] = "{\"@odata.id\":\"/s/2\"}";
	char path[REDFISH_PATH_MAX];

	(void)state;
	redfish_parse_session("/s/1", body, strlen(body), path);
	assert_string_equal(path, "/s/1");
	redfish_parse_session("https://bmc:443/s/1", body, strlen(body), path);
	assert_string_equal(path, "/s/1");
	redfish_parse_session("", body, strlen(body), path);
	assert_string_equal(path, "/s/2");
	redfish_parse_session("https://bmc", "", 0, path);
	assert_string_equal(path, "");
}

static void an_override_is_set_once_from_the_network_in_its_mode(void **state)
{
	static const struct {
		const char *enabled, *target, *mode;
		bool want;
	} cases[] = {{"Once", "Pxe", "UEFI", true}, {"Continuous", "Pxe", "UEFI", true},
		{"Once", "Pxe", "", true}, {"Once", "Pxe", "Legacy", false},
		{"Disabled", "Pxe", "UEFI", false}, {"Once", "Hdd", "UEFI", false}};
	struct redfish_system s;
	struct buf b;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text),
			"{\"Boot\":{\"BootSourceOverrideEnabled\":\"%s\","
			"\"BootSourceOverrideTarget\":\"%s\",\"BootSourceOverrideMode\":\"%s\"}}",
			cases[i].enabled, cases[i].target, cases[i].mode);
		system_of(text, &s);
		assert_int_equal(redfish_boot_is_set(&s, FIRMWARE_UEFI), cases[i].want);
	}
	buf_init(&b, 1024);
	redfish_boot_body(FIRMWARE_BIOS, true, &b);
	assert_string_equal(b.data, "{\"Boot\":{\"BootSourceOverrideEnabled\":\"Once\","
				    "\"BootSourceOverrideTarget\":\"Pxe\","
				    "\"BootSourceOverrideMode\":\"Legacy\"}}");
	assert_int_equal(system_of(b.data, &s), 0);
	assert_true(redfish_boot_is_set(&s, FIRMWARE_BIOS));
	buf_release(&b);
}

static void the_reason_of_an_error_is_its_first_message(void **state)
{
	static const char more[] =
		"{\"error\":{\"message\":\"general\",\"@Message.ExtendedInfo\":[{"
		"\"Message\":\"too many sessions\"}]}}";
	static const char less[] = "{\"error\":{\"message\":\"general\"}}";
	char text[12];

	(void)state;
	redfish_parse_error(more, strlen(more), text, sizeof(text));
	assert_string_equal(text, "too many se");
	redfish_parse_error(less, strlen(less), text, sizeof(text));
	assert_string_equal(text, "general");
	redfish_parse_error("<html>", 6, text, sizeof(text));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_are_paths_on_the_same_service),
		cmocka_unit_test(power_is_on_or_off_or_unknown),
		cmocka_unit_test(reset_types_are_those_that_are_offered),
		cmocka_unit_test(a_member_is_chosen_by_name_or_path_or_alone),
		cmocka_unit_test(a_session_is_named_by_header_or_body),
		cmocka_unit_test(an_override_is_set_once_from_the_network_in_its_mode),
		cmocka_unit_test(the_reason_of_an_error_is_its_first_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
