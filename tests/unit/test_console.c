/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/console.h"

enum { DEADLINE_MS = 20000, SEEN_MAX = 65536 };

/* A console and what it told. */
struct fixture {
	uv_loop_t loop;
	struct target t;
	struct secret secret;
	struct console *c;
	int ready, lost, closed;
	struct err e;
	struct buf seen;
};

static void on_ready(void *arg, const struct err *e)
{
	struct fixture *f = arg;

	f->ready++;
	f->e = *e;
	uv_stop(&f->loop); /* or UV_RUN_ONCE waits for I/O after a timer */
}

static void on_data(void *arg, const char *p, size_t n)
{
	struct fixture *f = arg;

	buf_add(&f->seen, p, n);
	uv_stop(&f->loop);
}

static void on_lost(void *arg, const struct err *e)
{
	struct fixture *f = arg;

	f->lost++;
	f->e = *e;
	uv_stop(&f->loop);
}

static void on_closed(void *arg)
{
	struct fixture *f = arg;

	f->closed++;
	uv_stop(&f->loop);
}

static void begin(struct fixture *f, const char *driver)
{
	memset(f, 0, sizeof(*f));
	snprintf(f->t.name, sizeof(f->t.name), "lab3");
	snprintf(f->t.console.driver, sizeof(f->t.console.driver), "%s", driver);
	snprintf(f->t.console.host, sizeof(f->t.console.host), "127.0.0.1");
	f->t.console.speed = 115200;
	buf_init(&f->seen, SEEN_MAX);
	assert_int_equal(uv_loop_init(&f->loop), 0);
}

static void make(struct fixture *f)
{
	static const struct console_events events = {
		.ready = on_ready, .data = on_data, .lost = on_lost};

	f->c = console_new(&f->loop, &f->t, &f->secret, NULL, 0, &events, f, &f->e);
	assert_non_null(f->c);
}

/* Everything ends without another event. */
static void end(struct fixture *f)
{
	int ready = f->ready, lost = f->lost, closed = f->closed;

	console_free(f->c);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	assert_true(ready == f->ready && lost == f->lost && closed == f->closed);
	buf_release(&f->seen);
}

static void until(struct fixture *f, const int *what)
{
	while (!*what)
		assert_true(uv_run(&f->loop, UV_RUN_ONCE) || *what);
}

static void open_it(struct fixture *f)
{
	f->ready = f->lost = 0;
	f->c->ops->open(f->c, DEADLINE_MS);
	assert_int_equal(f->ready, 0);
	until(f, &f->ready);
	assert_int_equal(f->ready, 1);
}

static void close_it(struct fixture *f)
{
	f->closed = 0;
	f->c->ops->close(f->c, DEADLINE_MS, on_closed, f);
	assert_int_equal(f->closed, 0);
	until(f, &f->closed);
}

static void sees(struct fixture *f, const char *text)
{
	while (!memmem(f->seen.data, f->seen.len, text, strlen(text)))
		assert_true(uv_run(&f->loop, UV_RUN_ONCE));
	buf_clear(&f->seen);
}

/* A listening socket on loopback; the port goes to the target. */
static int listener(struct fixture *f)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	f->t.console.port = ntohs(a.sin_port);
	return fd;
}

static void tcp_passes_bytes_and_tells_its_end(void **state)
{
	static const char bytes[] = "a\0\xff\r\nb";
	char got[sizeof(bytes)];
	struct fixture f;
	int server, peer;

	(void)state;
	begin(&f, "tcp");
	server = listener(&f);
	make(&f);
	for (int i = 0; i < 2; i++) {
		open_it(&f);
		assert_int_equal(f.e.cls, ERR_NONE);
		peer = accept(server, NULL, NULL);
		assert_int_equal(send(peer, bytes, 6, 0), 6);
		while (f.seen.len < 6)
			uv_run(&f.loop, UV_RUN_ONCE);
		assert_memory_equal(f.seen.data, bytes, 6);
		buf_clear(&f.seen);
		f.c->ops->send(f.c, bytes, 6);
		uv_run(&f.loop, UV_RUN_NOWAIT);
		assert_int_equal(recv(peer, got, sizeof(got), 0), 6);
		assert_memory_equal(got, bytes, 6);
		close(peer);
		until(&f, &f.lost);
		assert_string_equal(f.e.code, "E_CONSOLE");
	}
	f.c->ops->send(f.c, "x", 1);
	close_it(&f);
	close(server);
	end(&f);
}

static void tcp_keeps_what_came_before_it_was_live(void **state)
{
	struct fixture f;
	int server, peer;

	(void)state;
	begin(&f, "tcp");
	server = listener(&f);
	make(&f);
	f.c->ops->open(f.c, DEADLINE_MS);
	while (!f.ready && !f.seen.len) {
		struct timeval now = {0};
		fd_set set;

		uv_run(&f.loop, UV_RUN_NOWAIT);
		FD_ZERO(&set);
		FD_SET(server, &set);
		if (select(server + 1, &set, NULL, NULL, &now) == 1)
			break;
	}
	peer = accept(server, NULL, NULL);
	assert_int_equal(send(peer, "early", 5, 0), 5);
	until(&f, &f.ready);
	sees(&f, "early");
	end(&f);
	close(peer);
	close(server);
}

static void a_refused_port_is_told_and_can_be_tried_again(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "rfc2217");
	close(listener(&f));
	make(&f);
	for (int i = 0; i < 2; i++) {
		open_it(&f);
		assert_string_equal(f.e.code, "E_CONSOLE");
		assert_non_null(strstr(f.e.msg, "nothing listens at 127.0.0.1:"));
	}
	close_it(&f);
	end(&f);
}

/* free() and close() in each state before it is live. */
static void it_can_be_let_go_at_any_moment(void **state)
{
	static const char *const drivers[] = {"tcp", "telnet", "rfc2217", "command", "tty"};

	(void)state;
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		for (int turns = -1; turns < 7; turns++) {
			struct fixture f;
			int server;

			begin(&f, drivers[i]);
			server = listener(&f);
			snprintf(f.t.console.command, sizeof(f.t.console.command), "exec cat");
			snprintf(f.t.console.device, sizeof(f.t.console.device), "/dev/null");
			make(&f);
			if (turns >= 0)
				f.c->ops->open(f.c, DEADLINE_MS);
			for (int n = 0; n < turns / 2 && !f.ready; n++)
				uv_run(&f.loop, UV_RUN_ONCE);
			if (turns % 2)
				close_it(&f);
			end(&f);
			close(server);
		}
}

/* A pseudo terminal stands for a serial device. */
static int device(struct fixture *f, int *slave)
{
	struct termios cooked;
	int master;

	assert_int_equal(openpty(&master, slave, NULL, NULL, NULL), 0);
	assert_int_equal(ttyname_r(*slave, f->t.console.device, sizeof(f->t.console.device)), 0);
	assert_int_equal(tcgetattr(*slave, &cooked), 0);
	cfsetspeed(&cooked, B1200);
	assert_int_equal(tcsetattr(*slave, TCSANOW, &cooked), 0);
	return master;
}

static void a_tty_is_set_held_and_given_back(void **state)
{
	struct termios before, meanwhile, after;
	struct fixture f, g;
	int master, slave;
	char got[8];

	(void)state;
	begin(&f, "tty");
	begin(&g, "tty");
	master = device(&f, &slave);
	f.t.console.flow = FLOW_RTSCTS;
	g.t.console = f.t.console;
	assert_int_equal(tcgetattr(slave, &before), 0);
	make(&f);
	make(&g);
	open_it(&f);
	assert_int_equal(f.e.cls, ERR_NONE);
	assert_int_equal(tcgetattr(slave, &meanwhile), 0);
	assert_int_equal(cfgetospeed(&meanwhile), B115200);
	assert_int_equal(meanwhile.c_lflag & (ICANON | ECHO | ISIG), 0);
	assert_true(meanwhile.c_cflag & CRTSCTS);
	assert_int_equal(meanwhile.c_iflag & (IXON | IXOFF), 0);

	open_it(&g);
	assert_string_equal(g.e.code, "E_CONSOLE");
	assert_non_null(strstr(g.e.msg, "in use by another program"));

	assert_int_equal(write(master, "\x03\x13\r\n\0\xff", 6), 6);
	while (f.seen.len < 6)
		uv_run(&f.loop, UV_RUN_ONCE);
	assert_memory_equal(f.seen.data, "\x03\x13\r\n\0\xff", 6);
	f.c->ops->send(f.c, "\r\n\x03\xff", 4);
	assert_int_equal(read(master, got, sizeof(got)), 4);
	assert_memory_equal(got, "\r\n\x03\xff", 4);

	close_it(&f);
	assert_int_equal(tcgetattr(slave, &after), 0);
	assert_memory_equal(&after, &before, sizeof(after));
	open_it(&g);
	assert_int_equal(g.e.cls, ERR_NONE);
	close(slave);
	close(master);
	until(&g, &g.lost);
	assert_non_null(strstr(g.e.msg, "went away"));
	close_it(&g);
	end(&f);
	end(&g);
}

static void what_is_no_serial_device_is_told(void **state)
{
	static const struct {
		const char *device, *why;
	} cases[] = {
		{"/nonexistent/tty", "cannot open /nonexistent/tty: No such file"},
		{"/dev/null", "/dev/null is no serial device"},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fixture f;

		begin(&f, "tty");
		snprintf(f.t.console.device, sizeof(f.t.console.device), "%s", cases[i].device);
		make(&f);
		open_it(&f);
		assert_string_equal(f.e.code, "E_CONSOLE");
		assert_non_null(strstr(f.e.msg, cases[i].why));
		end(&f);
	}
}

static void a_command_is_a_console(void **state)
{
	static char password[] = "sesame";
	struct fixture f;

	(void)state;
	begin(&f, "command");
	f.secret.value = password;
	snprintf(f.t.bmc.host, sizeof(f.t.bmc.host), "bmc1");
	f.t.bmc.port = 623;
	snprintf(f.t.console.command, sizeof(f.t.console.command),
		"echo $HARNESS_MACHINE $HARNESS_HOST $HARNESS_PORT $HARNESS_PASSWORD; exec cat");
	make(&f);
	for (int i = 0; i < 2; i++) {
		open_it(&f);
		assert_int_equal(f.e.cls, ERR_NONE);
		sees(&f, "lab3 bmc1 623 sesame");
		f.c->ops->send(f.c, "to and fro", 10);
		sees(&f, "to and fro");
		close_it(&f);
	}
	end(&f);
}

static void a_command_that_ends_is_told_with_its_words(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, "command");
	snprintf(f.t.console.command, sizeof(f.t.console.command),
		"printf 'one\\r\\nno such console\\r\\n\\r\\n'; exit 7");
	make(&f);
	open_it(&f);
	assert_string_equal(f.e.code, "E_CONSOLE");
	assert_non_null(strstr(f.e.msg, "(status 7), with \"no such console\""));
	snprintf(f.t.console.command, sizeof(f.t.console.command), "read -r x; kill -9 $$");
	open_it(&f);
	assert_int_equal(f.e.cls, ERR_NONE);
	f.c->ops->send(f.c, "x\n", 2);
	until(&f, &f.lost);
	assert_non_null(strstr(f.e.msg, "(signal 9)"));
	end(&f);
}

static void last_words_are_the_last_line_that_says_anything(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", ""}, {"\r\n \n", ""}, {"one", ": \"one\""}, {"a\r\nb c\r\n\n", ": \"b c\""}};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		console_last_words(cases[i].text, ": ", out, sizeof(out));
		assert_string_equal(out, cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tcp_passes_bytes_and_tells_its_end),
		cmocka_unit_test(tcp_keeps_what_came_before_it_was_live),
		cmocka_unit_test(a_refused_port_is_told_and_can_be_tried_again),
		cmocka_unit_test(it_can_be_let_go_at_any_moment),
		cmocka_unit_test(a_tty_is_set_held_and_given_back),
		cmocka_unit_test(what_is_no_serial_device_is_told),
		cmocka_unit_test(a_command_is_a_console),
		cmocka_unit_test(a_command_that_ends_is_told_with_its_words),
		cmocka_unit_test(last_words_are_the_last_line_that_says_anything),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("console", tests, NULL, NULL);
}
