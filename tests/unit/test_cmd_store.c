/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that read the store, as main calls them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cmd.h"
#include "tests/unit/fixture_run.h"

/* Run a command in a process of its own; what it prints, or its error, goes to out. */
static int call(const struct cmd *c, const struct fixture *f, struct buf *out, const char *args)
{
	char *file = mem_printf("%s/output", f->dir), *words = mem_strdup(args), *save = NULL;
	char *argv[16] = {(char *)c->name, (char *)"--state", (char *)f->dir};
	struct err e = ERR_INIT;
	int argc = 3, status;
	pid_t pid;

	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	pid = fork();
	if (!pid) {
		int rc;

		if (!freopen(file, "w", stdout))
			_exit(99);
		opterr = 0;
		rc = c->run(argc, argv, &e);
		if (rc < 0)
			printf("%s", e.msg);
		fflush(stdout);
		_exit(rc < 0 ? -rc : rc);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	buf_clear(out);
	assert_int_equal(path_read(file, out, &e), 0);
	free(file);
	free(words);
	return WEXITSTATUS(status);
}

static void stored_run(struct fixture *f)
{
	struct store *s;
	struct run_sink k;
	struct boot_result r;
	struct err e = ERR_INIT;

	fixture_init(f);
	s = fixture_open(f);
	k = store_sink(s);
	fixture_begin(s, f);
	assert_int_equal(k.event(k.arg, 0, 1500000000, "fetch", "/ipxe", &e), 0);
	for (int i = 0; i < 4; i++) {
		r = fixture_boot(f, i, 0);
		fixture_store_boot(s, &r, false);
	}
	fixture_end(s, f);
	store_close(s);
}

static void report_gives_the_same_bytes_again(void **state)
{
	struct fixture f;
	struct buf a, b, out;
	struct err e = ERR_INIT;
	char *file, *args;

	(void)state;
	stored_run(&f);
	buf_init(&a, 1 << 20);
	buf_init(&b, 1 << 20);
	buf_init(&out, 1 << 20);
	file = mem_printf("%s/report", f.dir);
	args = mem_printf("7f3a -o %s", file);
	assert_int_equal(call(&cmd_report, &f, &a, ""), 0);
	assert_non_null(strstr(a.data, "run 7f3a, 2026-11-30"));
	assert_int_equal(call(&cmd_report, &f, &b, "7f3a9"), 0);
	assert_string_equal(b.data, a.data);
	assert_int_equal(call(&cmd_report, &f, &b, args), 0);
	assert_string_equal(b.data, "");
	assert_int_equal(path_read(file, &out, &e), 0);
	assert_string_equal(out.data, a.data);
	buf_release(&a);
	buf_release(&b);
	buf_release(&out);
	free(file);
	free(args);
	fixture_remove(&f);
}

static void show_gives_console_events_and_json(void **state)
{
	struct fixture f;
	struct buf b;
	json_t *o;

	(void)state;
	stored_run(&f);
	buf_init(&b, 1 << 20);
	assert_int_equal(call(&cmd_show, &f, &b, "last --console 2"), 0);
	assert_int_equal(b.len, sizeof(FIXTURE_CONSOLE) - 1);
	assert_memory_equal(b.data, FIXTURE_CONSOLE, b.len);
	assert_int_equal(call(&cmd_show, &f, &b, "--events"), 0);
	assert_non_null(strstr(b.data, "1.500 s  boot 1    fetch            /ipxe\n"));
	assert_int_equal(call(&cmd_show, &f, &b, "7f3a --json"), 0);
	o = json_loads(b.data, 0, NULL);
	assert_non_null(o);
	assert_int_equal(json_array_size(json_object_get(o, "boots")), 4);
	assert_int_equal(json_array_size(json_object_get(o, "events")), 1);
	assert_string_equal(json_string_value(json_object_get(o, "seed")), "18446744073709551574");
	json_decref(o);
	buf_release(&b);
	fixture_remove(&f);
}

static void runs_lists_text_and_json(void **state)
{
	struct fixture f;
	struct buf b;
	json_t *o;

	(void)state;
	stored_run(&f);
	buf_init(&b, 1 << 20);
	assert_int_equal(call(&cmd_runs, &f, &b, ""), 0);
	assert_non_null(strstr(b.data, "\n7f3a      2026-11-30T13:15:05Z  epyc9754 "));
	assert_int_equal(call(&cmd_runs, &f, &b, "--machine nobody"), 0);
	assert_string_equal(b.data, "no runs of that machine\n");
	assert_int_equal(call(&cmd_runs, &f, &b, "--json -n 5"), 0);
	o = json_loads(b.data, 0, NULL);
	assert_int_equal(json_array_size(o), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(o, 0), "id")), "7f3a");
	json_decref(o);
	buf_release(&b);
	fixture_remove(&f);
}

static void run_without_an_end_is_called_so(void **state)
{
	struct fixture f;
	struct store *s;
	struct buf b;

	(void)state;
	fixture_init(&f);
	s = fixture_open(&f);
	fixture_begin(s, &f);
	store_close(s);
	buf_init(&b, 1 << 20);
	assert_int_equal(call(&cmd_runs, &f, &b, ""), 0);
	assert_non_null(strstr(b.data, "not ended, or killed\n"));
	assert_int_equal(call(&cmd_show, &f, &b, "last"), 0);
	assert_non_null(strstr(b.data, "; not ended, or")); /* the line is wrapped */
	buf_release(&b);
	fixture_remove(&f);
}

static void wrong_use_is_one_line_and_exit_2(void **state)
{
	static const struct {
		const struct cmd *cmd;
		const char *args, *says;
	} cases[] = {
		{&cmd_report, "beef", "no run \"beef\"; the latest are 7f3a (epyc9754)"},
		{&cmd_report, "7f3a extra", "report: unexpected \"extra\""},
		{&cmd_report, "--nonsense", "unknown option --nonsense"},
		{&cmd_report, "-o", "needs a value"},
		{&cmd_show, "7f3a --console 9", "has no boot 9"},
		{&cmd_show, "7f3a --console x", "takes the number of a boot"},
		{&cmd_show, "a b", "unexpected \"b\""},
		{&cmd_runs, "-n 0", "from 1 to 1000000, not \"0\""},
		{&cmd_runs, "what", "unexpected \"what\""},
	};
	struct fixture f;
	struct buf b;

	(void)state;
	stored_run(&f);
	buf_init(&b, 1 << 20);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(call(cases[i].cmd, &f, &b, cases[i].args), 2);
		if (!strstr(b.data, cases[i].says) || strchr(b.data, '\n'))
			fail_msg("%s %s says: %s", cases[i].cmd->name, cases[i].args, b.data);
	}
	buf_release(&b);
	fixture_remove(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(report_gives_the_same_bytes_again),
		cmocka_unit_test(show_gives_console_events_and_json),
		cmocka_unit_test(runs_lists_text_and_json),
		cmocka_unit_test(run_without_an_end_is_called_so),
		cmocka_unit_test(wrong_use_is_one_line_and_exit_2),
	};
	return cmocka_run_group_tests_name("cmd_store", tests, NULL, NULL);
}
