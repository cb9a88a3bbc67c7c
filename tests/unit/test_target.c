/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/fixture_target.h"

#include <sys/stat.h>

#include "targets/target_keys.h"

static const struct {
	const char *text, *want; /* what the message ends with, after the folder */
} mistakes[] = {
	{"", "lab3.ini: [machine] lacks the required key \"mac\""},
	{MACHINE NETBOOT "[bmc]\nuser = u\n", "lab3.ini: [bmc] lacks the required key \"host\""},
	{MACHINE NETBOOT "[bmc]\nhost = h\nuser = u\n",
		"lab3.ini: [bmc] lacks the password's source: password_file, password_env or "
		"password_command"},
	{MACHINE BMC, "lab3.ini: [netboot] listen must name a fixed port: the machine asks there "
		      "for its boot script"},
	{MACHINE BMC "[netboot]\nlisten = 0.0.0.0:80\n",
		"lab3.ini: [netboot] lacks \"url\": the machine cannot reach us at 0.0.0.0:80"},
	{REAL "pasword_file = x\n", "lab3.ini:9: unknown key \"pasword_file\" in [bmc] (did you "
				    "mean \"password_file\"?)"},
	{REAL "zzz = x\n", "lab3.ini:9: unknown key \"zzz\" in [bmc]; targets/README.md lists all"},
	{REAL "boots = 3\n", "lab3.ini:9: unknown key \"boots\" in [bmc]: it belongs in [measure]"},
	{REAL "password = hunter2\n",
		"lab3.ini:9: a target file holds no password: use password_file, password_env or "
		"password_command"},
	{REAL "password_file = x\n",
		"lab3.ini:9: a second source for the password: give only one of password_file, "
		"password_env and password_command"},
	{REAL "port = 0\n",
		"lab3.ini:9: bad value \"0\" for port: must be a number from 1 to 65535"},
	{REAL "port = 6 23\n",
		"lab3.ini:9: bad value \"6 23\" for port: must be a number from 1 to 65535"},
	{REAL "port = 99999999999999999999\n",
		"lab3.ini:9: bad value \"99999999999999999999\" for port: must be a number from 1 "
		"to 65535"},
	{REAL "port =\n", "lab3.ini:9: bad value \"\" for port: must be a number from 1 to 65535"},
	{REAL "settle = 5x\n", "lab3.ini:9: bad value \"5x\" for settle: must be a time from 0s to "
			       "10m, like 250ms, 30s or 5m"},
	{REAL "settle = 11m\n", "lab3.ini:9: bad value \"11m\" for settle: must be a time from 0s "
				"to 10m, like 250ms, 30s or 5m"},
	{REAL "driver = ipmj\n",
		"lab3.ini:9: bad value \"ipmj\" for driver: must be ipmi or redfish or command"},
	{REAL "driver = command\n",
		"lab3.ini: [bmc] lacks \"command\", which the driver command runs"},
	{REAL "fallback = command\n",
		"lab3.ini: [bmc] lacks \"command\", which the driver command runs"},
	{REAL "fallback = command ipmi\ncommand = x\n",
		"lab3.ini: [bmc] fallback names ipmi, which is the driver already"},
	{REAL "fallback = command command\n",
		"lab3.ini:9: bad value \"command command\" for "
		"fallback: must be one or several of ipmi, redfish, command"},
	{REAL "fallback = pdu\n", "lab3.ini:9: bad value \"pdu\" for fallback: must be one or "
				  "several of ipmi, redfish, command"},
	{REAL "privilege = ADMIN\n", "lab3.ini:9: bad value \"ADMIN\" for privilege: must be USER "
				     "or OPERATOR or ADMINISTRATOR"},
	{REAL "bootdev_raw = 0x00 8\n",
		"lab3.ini:9: bad value \"0x00 8\" for bootdev_raw: must be bytes like 0x00 0x08 "
		"0x05"},
	{REAL "host = other\n", "lab3.ini:9: host is given twice in [bmc], first in line 6"},
	{REAL "[machine]\n", "lab3.ini:9: section [machine] is given twice"},
	{REAL "[bmcs]\n", "lab3.ini:9: unknown section \"bmcs\" (did you mean \"bmc\"?)"},
	{REAL "[measure] boots = 3\n", "lab3.ini:9: text after [measure]"},
	{REAL "[measure\nboots = 3\n", "lab3.ini:9: \"[\" without \"]\""},
	{REAL "  [measure]\n", "lab3.ini:9: take away the blanks before \"[\""},
	{REAL "  port = 5\n", "lab3.ini:9: an indented line goes on with the value before it; take "
			      "away the blanks before \"port\""},
	{"mac = 02:00:00:00:00:01\n", "lab3.ini:1: key \"mac\" stands before the first [section]"},
	{"  x\n" REAL, "lab3.ini:1: an indented line, but no value before it"},
	{REAL "what is this\n",
		"lab3.ini:9: neither \"key = value\" nor \"[section]\" nor a comment"},
	{REAL "= 5\n", "lab3.ini:9: unknown key \"\" in [bmc]; targets/README.md lists all"},
	{REAL "[machine2]\nmac = x\n",
		"lab3.ini:9: unknown section \"machine2\" (did you mean \"machine\"?)"},
	{REAL "user\x01 = x\n", "lab3.ini:9: holds the control character 0x01: not a text file"},
	{"\x7f"
	 "ELF\x02\x01\x01",
		"lab3.ini:1: holds the control character 0x7f: not a text file"},
	{"[machine]\nmac = 01:00:00:00:00:01\n",
		"lab3.ini:2: bad value \"01:00:00:00:00:01\" for mac: must be an interface's "
		"address like 52:54:00:12:34:56"},
	{"[machine]\nmac = 02:00:00:00:00\n",
		"lab3.ini:2: bad value \"02:00:00:00:00\" for mac: must be an interface's address "
		"like 52:54:00:12:34:56"},
	{MACHINE NETBOOT "[bmc]\nhost = -oProxy=x\n",
		"lab3.ini:6: bad value \"-oProxy=x\" for host: must be a host name or address"},
	{MACHINE NETBOOT "[bmc]\nhost = a b\n",
		"lab3.ini:6: bad value \"a b\" for host: must be a host name or address"},
	{MACHINE NETBOOT "[bmc]\npassword_env = a secret\n",
		"lab3.ini:6: bad password_env: must be a variable's name"},
	{MACHINE BMC "[netboot]\nlisten = 10.0.0.1\n",
		"lab3.ini:8: bad value \"10.0.0.1\" for listen: must be address:port or "
		"[address]:port"},
	{MACHINE BMC "[netboot]\nurl = https://x\n",
		"lab3.ini:8: bad value \"https://x\" for url: must be http://host or "
		"http://host:port"},
	{REAL "[hypervisor]\ndebug_keys = dR\n",
		"lab3.ini:10: bad value \"dR\" for debug_keys: must be letters but C and R, digits "
		"and *; or none"},
	{REAL "[hypervisor]\ndebug_keys = d~.\n", "lab3.ini:10: bad value \"d~.\" for debug_keys: "
						  "must be letters but C and R, digits "
						  "and *; or none"},
	{REAL "[hypervisor]\nargs = a \"b\"\n",
		"lab3.ini:10: bad value \"a \"b\"\" for args: must be plain ASCII without quotes, "
		"backslash and ${"},
	{REAL "[hypervisor]\nargs = a ${net0/mac}\n",
		"lab3.ini:10: bad value \"a ${net0/mac}\" for args: must be plain ASCII without "
		"quotes, backslash and ${"},
	{REAL "[measure]\nsamples = 1000\nwarmup = 25\n",
		"lab3.ini: [measure] samples and warmup are 1025 together; the probe has room for "
		"1024"},
	{"[machine]\nmac = 02:00:00:00:00:01\ncpus = 2\nsockets = 4\n" NETBOOT BMC,
		"lab3.ini: [machine] has more sockets (4) than cpus (2)"},
	{REAL "[deadlines]\nprobe = 0\n", "lab3.ini:10: bad value \"0\" for probe: must be a time "
					  "from 1s to 6h, like 250ms, 30s or 5m"},
	{MACHINE "[lab]\ncpus = 6\nsockets = 4\n",
		"lab3.ini: [lab] cpus (6) is not a multiple of sockets (4)"},
	{MACHINE "[lab]\n[bmc]\nhost = x\n",
		"lab3.ini:5: host has no meaning with [lab]: the running lab gives it"},
	{MACHINE "[lab]\n[bmc]\npassword_env = x\n",
		"lab3.ini:5: password_env has no meaning with [lab]: the running lab gives it"},
	{REAL "[console]\ndriver = telnet\nport = 7\n",
		"lab3.ini:10: console driver telnet needs \"host\": write for example host = "
		"console1 in [console]"},
	{REAL "[console]\ndriver = rfc2217\nhost = x\n",
		"lab3.ini:10: console driver rfc2217 needs \"port\": write for example port = 2001 "
		"in [console]"},
	{REAL "[console]\nspeed = 9600\ndriver = tty\n",
		"lab3.ini:11: console driver tty needs \"device\": write for example device = "
		"/dev/ttyS0 in [console]"},
	{REAL "[console]\ndriver = command\n",
		"lab3.ini:10: console driver command needs \"command\": write for example command "
		"= exec console lab3 in [console]"},
	{REAL "[console]\nhost = x\n", "lab3.ini:10: host has no meaning with console driver sol: "
				       "take the line away"},
	{REAL "[console]\ndriver = tcp\nhost = x\nport = 1\nspeed = 9600\n",
		"lab3.ini:13: speed has no meaning with console driver tcp: take the line away"},
	{REAL "[console]\ndriver = tty\ndevice = ttyS0\n",
		"lab3.ini:11: device must be a whole path: write device = /dev/ttyS0"},
	{REAL "[console]\ndriver = tty\ndevice = /dev/ttyS0\nspeed = 115201\n",
		"lab3.ini:12: no serial device runs at 115201 baud: write speed = 115200, or what "
		"the machine's firmware is set to"},
	{MACHINE "[lab]\n[console]\ndriver = rfc2217\n",
		"lab3.ini:5: a virtual machine has no rfc2217 console: write driver = sol, tcp or "
		"command"},
	{MACHINE "[lab]\n[console]\ndriver = tcp\nport = 7\n",
		"lab3.ini:6: port has no meaning with [lab]: the running lab gives it"},
	{MACHINE "[lab]\ninterrupt_remapping = maybe\n",
		"lab3.ini:4: bad value \"maybe\" for interrupt_remapping: must be yes or no"},
};

static void each_mistake_has_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		char want[1024];
		struct target t;
		struct err e;
		int rc = load(&t, "lab3.ini", mistakes[i].text, strlen(mistakes[i].text), &e);

		snprintf(want, sizeof(want), "%s/%s", dir, mistakes[i].want);
		assert_int_equal(rc, -ERR_USAGE);
		assert_string_equal(e.msg, want);
		assert_null(t.file);
	}
}

static void a_password_in_the_wrong_place_is_not_repeated(void **state)
{
	static const char *const texts[] = {
		REAL "password = hunter2\n", MACHINE NETBOOT "[bmc]\npassword_env = hunter2!\n"};
	struct target t;
	struct err e;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(load(&t, "lab3.ini", texts[i], strlen(texts[i]), &e), -ERR_USAGE);
		assert_null(strstr(e.msg, "hunter2"));
	}
}

static void bytes_that_are_no_text_are_refused(void **state)
{
	static const char nul[] = REAL "description = a\0b\n";
	char big[70000], line[400];
	struct target t;
	struct err e;

	(void)state;
	assert_int_equal(load(&t, "lab3.ini", nul, sizeof(nul) - 1, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "lab3.ini:9: holds a NUL byte"));

	memset(big, '#', sizeof(big));
	assert_int_equal(load(&t, "lab3.ini", big, sizeof(big), &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "larger than 65536 bytes"));

	snprintf(line, sizeof(line), "[machine]\ndescription = %0250d\n", 0);
	assert_int_equal(load(&t, "lab3.ini", line, strlen(line), &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "lab3.ini:2: line is longer than 196 bytes"));
}

static void a_file_must_be_a_file_with_a_machines_name(void **state)
{
	char path[512];
	struct target t;
	struct err e = ERR_INIT;

	(void)state;
	snprintf(path, sizeof(path), "%s/gone.ini", dir);
	assert_int_equal(target_load(&t, path, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "gone.ini: No such file or directory"));
	snprintf(path, sizeof(path), "%s/folder.ini", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(target_load(&t, path, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "folder.ini: not a file"));
	assert_int_equal(load(&t, "Lab 3.ini", REAL, strlen(REAL), &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "the file's name must be NAME.ini"));
	assert_int_equal(load(&t, "lab3.conf", REAL, strlen(REAL), &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "the file's name must be NAME.ini"));
	target_release(&t);
}

static void the_longest_line_arrives_whole(void **state)
{
	char text[600], want[300];
	struct target t;
	struct err e;

	(void)state;
	/* "description = " and 182 digits are 196 bytes. */
	snprintf(want, sizeof(want), "%0182d", 7);
	snprintf(text, sizeof(text), "[machine]\nmac = 02:00:00:00:00:01\ndescription = %s\n%s%s",
		want, NETBOOT, BMC);
	assert_int_equal(load(&t, "lab3.ini", text, strlen(text), &e), 0);
	assert_string_equal(t.description, want);
	target_release(&t);
}

static void values_go_on_in_indented_lines(void **state)
{
	static const char text[] = REAL "[hypervisor]\nargs = loglvl=all\n  # not this\n"
					"\tbootscrub=0 ; nor this\n\n  cpuidle=0\n";
	struct target t;
	struct err e;

	(void)state;
	assert_int_equal(load(&t, "lab3.ini", text, strlen(text), &e), 0);
	assert_string_equal(t.hypervisor.args, "loglvl=all bootscrub=0 cpuidle=0");
	target_release(&t);
}

static void defaults_fill_what_is_not_given(void **state)
{
	/* A byte order mark, CR LF and a missing last newline are an editor's business. */
	static const char text[] =
		"\xef\xbb\xbf[machine]\r\nmac = 52-54-00-AB-CD-EF\r\n[lab]\r\ncpus = 4";
	struct target t;
	struct err e;

	(void)state;
	assert_int_equal(load(&t, "lab3.ini", text, strlen(text), &e), 0);
	assert_string_equal(t.name, "lab3");
	assert_string_equal(t.mac, "52:54:00:ab:cd:ef");
	assert_true(t.lab.present);
	assert_int_equal(t.lab.cpus, 4);
	assert_int_equal(t.firmware, FIRMWARE_UEFI);
	assert_int_equal(t.idle, IDLE_OFF);
	assert_int_equal(t.bmc.password_kind, SECRET_NONE);
	assert_int_equal(t.measure.iterations, 10000);
	assert_string_equal(t.measure.workload, "flush-all");
	for (int i = 0; i < STAGE_COUNT; i++)
		assert_in_range(t.deadline_ms[i], 1000, 6 * 3600000);
	assert_int_equal(t.deadline_ms[STAGE_FIRMWARE], 15 * 60000);
	target_release(&t);
	target_release(&t);
}

static void every_stage_has_a_deadline_of_its_name(void **state)
{
	(void)state;
	for (int i = 0; i < STAGE_COUNT; i++) {
		const struct target_key *k = target_key_find("deadlines", stage_name(i));

		assert_non_null(k);
		assert_int_equal(k->offset, offsetof(struct target, deadline_ms[i]));
	}
}

static void password_files_are_found_beside_the_target_file(void **state)
{
	static const struct {
		const char *given, *want;
	} cases[] = {{"pw/lab3", "%s/pw/lab3"}, {"/etc/pw", "/etc/pw"}, {"~/pw", "/home/h/pw"}};
	char *home = strdup(getenv("HOME") ? getenv("HOME") : "");

	(void)state;
	setenv("HOME", "/home/h", 1);
	for (size_t i = 0; i < 3; i++) {
		char text[256], want[512];
		struct target t;
		struct err e;

		snprintf(text, sizeof(text),
			MACHINE NETBOOT "[bmc]\nhost = h\nuser = u\npassword_file = %s\n",
			cases[i].given);
		assert_int_equal(load(&t, "lab3.ini", text, strlen(text), &e), 0);
		snprintf(want, sizeof(want), "%s%s", i ? "" : dir, i ? cases[i].want : "/pw/lab3");
		assert_int_equal(t.bmc.password_kind, SECRET_FILE);
		assert_string_equal(t.bmc.password_from, want);
		target_release(&t);
	}
	setenv("HOME", home, 1);
	free(home);
}

static void a_power_command_is_found_beside_the_target_file(void **state)
{
	static const struct {
		const char *given, *want;
	} cases[] = {{"bin/pdu outlet a/b", "/bin/pdu outlet a/b"}, {"pdu a/b", "pdu a/b"},
		{"/opt/pdu", "/opt/pdu"}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char text[256], want[512];
		struct target t;
		struct err e;

		snprintf(text, sizeof(text),
			MACHINE "[lab]\n[bmc]\ndriver = command\ncommand = %s\n", cases[i].given);
		assert_int_equal(load(&t, "lab3.ini", text, strlen(text), &e), 0);
		snprintf(want, sizeof(want), "%s%s", i ? "" : dir, cases[i].want);
		assert_string_equal(t.bmc.command, want);
		target_release(&t);
	}
}

static void the_nearest_machines_are_named(void **state)
{
	struct target t;
	struct err e;
	char **names;
	size_t n;

	(void)state;
	assert_int_equal(load(&t, "epyc9754.ini", REAL, strlen(REAL), &e), 0);
	target_release(&t);
	assert_int_equal(target_find(&t, dir, "epyc9754", &e), 0);
	target_release(&t);
	assert_int_equal(target_find(&t, dir, "epyc975", &e), -ERR_USAGE);
	assert_non_null(
		strstr(e.msg, "no machine \"epyc975\": did you mean epyc9754? (machines: "));
	assert_non_null(strstr(e.msg, dir));
	assert_int_equal(target_find(&t, dir, "../x", &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "cannot be a machine's name"));
	assert_int_equal(target_names(dir, &names, &n, &e), 0);
	assert_true(n >= 1);
	for (size_t i = 1; i < n; i++)
		assert_true(strcmp(names[i - 1], names[i]) < 0);
	target_names_free(names, n);
	assert_int_equal(target_names("/nonexistent", &names, &n, &e), -ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mistake_has_its_line),
		cmocka_unit_test(a_password_in_the_wrong_place_is_not_repeated),
		cmocka_unit_test(bytes_that_are_no_text_are_refused),
		cmocka_unit_test(a_file_must_be_a_file_with_a_machines_name),
		cmocka_unit_test(the_longest_line_arrives_whole),
		cmocka_unit_test(values_go_on_in_indented_lines),
		cmocka_unit_test(defaults_fill_what_is_not_given),
		cmocka_unit_test(every_stage_has_a_deadline_of_its_name),
		cmocka_unit_test(password_files_are_found_beside_the_target_file),
		cmocka_unit_test(a_power_command_is_found_beside_the_target_file),
		cmocka_unit_test(the_nearest_machines_are_named),
	};
	return cmocka_run_group_tests_name("target", tests, setup, teardown);
}
