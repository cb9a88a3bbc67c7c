/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/lab.h"
#include "harness/lab_priv.h"
#include "harness/lab_wire.h"

enum { QEMU_MAJOR = 9, VERSION_MS = 10000 };

/* One caller on the control socket. */
struct lab_caller {
	uv_pipe_t pipe;
	uv_write_t write;
	struct lab_serve *lab;
	struct buf line, reply;
	bool served;
};

static void lab_end(struct lab_serve *l)
{
	if (l->ending)
		return;
	l->ending = true;
	lab_qemu_stop(&l->qemu);
	lab_bmc_stop(&l->bmc);
	lab_serial_close(&l->serial);
	lab_chassis_close(&l->chassis);
	uv_close((uv_handle_t *)&l->control, NULL);
	uv_close((uv_handle_t *)&l->sigterm, NULL);
	uv_close((uv_handle_t *)&l->sigint, NULL);
}

/* What lab_up() waits for on our standard output. */
static void lab_say(const char *line)
{
	printf("%s\n", line);
	fflush(stdout);
	/* Its reader must see the end of it, whoever inherited our output. */
	if (!freopen("/dev/null", "w", stdout))
		abort();
}

static void lab_ready_if_so(struct lab_serve *l)
{
	if (l->ready || l->ending || !l->bmc.answered || !l->qemu.version[0])
		return;
	l->ready = true;
	lab_say(l->stale ? "ready stale" : "ready");
}

void lab_bmc_up(struct lab_serve *l)
{
	lab_ready_if_so(l);
}

void lab_bmc_gone(struct lab_serve *l, const char *why)
{
	if (!l->ending)
		err_set(&l->err, ERR_LAB, "E_LAB", "ipmi_sim ended: %.200s", why);
	lab_end(l);
}

void lab_qemu_gone(struct lab_serve *l)
{
	(void)l;
}

static void lab_on_signal(uv_signal_t *h, int sig)
{
	(void)sig;
	lab_end(h->data);
}

/* "QEMU emulator version 10.0.2 (…)". */
static void lab_on_version(void *arg, struct child_result *r)
{
	struct lab_serve *l = arg;
	char version[24] = "";

	sscanf(r->out.data, "QEMU emulator version %23[0-9.]", version);
	if (strtol(version, NULL, 10) < QEMU_MAJOR) {
		err_set(&l->err, ERR_LAB, "E_LAB",
			"qemu-system-x86_64 %s is too old (x2APIC without KVM needs %d): run "
			"scripts/deps.sh run",
			version, QEMU_MAJOR);
		lab_end(l);
		return;
	}
	snprintf(l->qemu.version, sizeof(l->qemu.version), "QEMU %s, %s", version,
		strcmp(l->target->lab.accel, "auto") ? l->target->lab.accel : "tcg");
	lab_ready_if_so(l);
}

static void lab_answer_status(struct lab_serve *l, struct buf *out)
{
	json_t *o = json_pack("{s:b,s:b,s:b,s:i,s:i,s:i,s:s,s:s,s:s}", "powered",
		lab_qemu_running(&l->qemu), "stay", l->stay, "trace", l->qemu.trace, "pid",
		(int)getpid(), "bmc_port", l->bmc.port, "serial_port", l->serial.raw_port, "user",
		l->target->bmc.user, "qemu", l->qemu.version, "trace_file", l->qemu.trace_file);
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;

	buf_adds(out, text ? text : "error no status\n");
	free(text);
	json_decref(o);
}

/* One `set NAME VALUE` of the chassis control. */
static void lab_chassis_set(struct lab_serve *l, const char *name, const char *value)
{
	struct err e = ERR_INIT;
	int rc = 0;

	if (!strcmp(name, "power") && !strcmp(value, "1")) {
		rc = lab_qemu_start(&l->qemu, &e);
	} else if (!strcmp(name, "power") || !strcmp(name, "shutdown")) {
		lab_qemu_stop(&l->qemu);
	} else if (!strcmp(name, "reset") && lab_qemu_running(&l->qemu)) {
		lab_qemu_stop(&l->qemu);
		l->qemu.restart = true;
	} else if (!strcmp(name, "boot")) {
		l->qemu.pxe = !strcmp(value, "pxe");
	}
	if (rc && l->qemu.log)
		fprintf(l->qemu.log, "%s\n", e.msg);
}

void lab_answer_chassis(struct lab_serve *l, char *line, struct buf *out)
{
	char *save = NULL, *verb;

	for (verb = strtok_r(line, " ", &save); verb; verb = strtok_r(NULL, " ", &save)) {
		const char *name = strtok_r(NULL, " ", &save), *value;

		if (!name)
			break;
		if (!strcmp(verb, "get")) {
			if (!strcmp(name, "power"))
				buf_addf(out, "power:%d\n", lab_qemu_running(&l->qemu));
			else if (!strcmp(name, "boot"))
				buf_addf(out, "boot:%s\n", l->qemu.pxe ? "pxe" : "none");
			continue;
		}
		value = strtok_r(NULL, " ", &save);
		if (!strcmp(verb, "set") && value)
			lab_chassis_set(l, name, value);
	}
}

static void lab_answer(struct lab_serve *l, char *line, struct buf *out)
{
	int64_t port;

	if (!strcmp(line, "status")) {
		lab_answer_status(l, out);
	} else if (!strcmp(line, "down")) {
		buf_adds(out, "ok\n");
		lab_end(l);
	} else if (!strncmp(line, "netboot ", 8) && !str_int(line + 8, 0, 65535, &port)) {
		l->qemu.http_port = (int)port;
		buf_adds(out, "ok\n");
	} else {
		buf_adds(out, "error unknown request\n");
	}
}

static void lab_caller_closed(uv_handle_t *h)
{
	struct lab_caller *c = h->data;

	buf_release(&c->line);
	buf_release(&c->reply);
	free(c);
}

static void lab_caller_close(struct lab_caller *c)
{
	if (!uv_is_closing((uv_handle_t *)&c->pipe))
		uv_close((uv_handle_t *)&c->pipe, lab_caller_closed);
}

static void lab_caller_written(uv_write_t *w, int status)
{
	(void)status;
	lab_caller_close(w->data);
}

static void lab_caller_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	static char space[LAB_LINE_MAX];

	(void)h;
	(void)suggested;
	*b = uv_buf_init(space, sizeof(space));
}

static void lab_caller_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct lab_caller *c = s->data;
	uv_buf_t out;
	char *end;

	if (c->served)
		return;
	if (n < 0 || buf_add(&c->line, b->base, (size_t)n)) {
		lab_caller_close(c);
		return;
	}
	end = memchr(c->line.data, '\n', c->line.len);
	if (!end)
		return;
	*end = '\0';
	c->served = true;
	lab_answer(c->lab, c->line.data, &c->reply);
	out = uv_buf_init(c->reply.data, (unsigned)c->reply.len);
	c->write.data = c;
	if (uv_write(&c->write, s, &out, 1, lab_caller_written))
		lab_caller_close(c);
}

static void lab_on_caller(uv_stream_t *server, int status)
{
	struct lab_serve *l = server->data;
	struct lab_caller *c;

	if (status || l->ending)
		return;
	c = mem_alloc(sizeof(*c));
	c->lab = l;
	c->pipe.data = c;
	buf_init(&c->line, LAB_LINE_MAX);
	buf_init(&c->reply, LAB_REPLY_MAX);
	uv_pipe_init(&l->loop, &c->pipe, 0);
	if (uv_accept(server, (uv_stream_t *)&c->pipe) ||
		uv_read_start((uv_stream_t *)&c->pipe, lab_caller_alloc, lab_caller_read))
		lab_caller_close(c);
}

static int lab_set_up(struct lab_serve *l, struct err *e)
{
	static const char *const version[] = {"qemu-system-x86_64", "--version", NULL};
	const struct child_opts vo = {.argv = version, .deadline_ms = VERSION_MS, .out_max = 512};
	int rc;

	str_random_hex(8, l->password);
	rc = path_write(LAB_PASSWORD, l->password, strlen(l->password), 0600, e);
	if (!rc)
		rc = lab_chassis_init(&l->chassis, &l->loop, e);
	if (!rc)
		rc = lab_qemu_prepare(&l->qemu, e);
	if (!rc)
		rc = lab_serial_init(&l->serial, &l->loop, e);
	if (rc)
		return rc;
	unlink(LAB_SOCKET);
	rc = uv_pipe_bind(&l->control, LAB_SOCKET);
	if (!rc)
		rc = uv_listen((uv_stream_t *)&l->control, 8, lab_on_caller);
	if (rc)
		return err_set(e, ERR_LAB, "E_LAB", "cannot listen on %s/%s: %s", l->dir,
			LAB_SOCKET, uv_strerror(rc));
	if (!child_start(&l->loop, &vo, lab_on_version, l, e))
		return -(int)e->cls;
	return lab_bmc_start(&l->bmc, e);
}

/* Hold the folder; *fd stays open until we end.  1: another supervisor has it. */
static int lab_hold(const char *dir, int *fd, struct err *e)
{
	int rc = path_mkdirs(dir, e);

	if (rc)
		return rc;
	if (chdir(dir))
		return err_set(e, ERR_LAB, "E_STATE", "cannot enter %s: %s", dir, strerror(errno));
	*fd = open(LAB_LOCK, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*fd < 0)
		return err_set(
			e, ERR_LAB, "E_STATE", "cannot open %s/lock: %s", dir, strerror(errno));
	if (flock(*fd, LOCK_EX | LOCK_NB))
		return 1;
	/* For whoever must end us although we do not answer. */
	if (ftruncate(*fd, 0) || dprintf(*fd, "%d\n", (int)getpid()) < 0)
		return err_set(
			e, ERR_LAB, "E_STATE", "cannot write %s/lock: %s", dir, strerror(errno));
	return 0;
}

/* The loop, and what it listens to from the start.  On failure nothing of it is open. */
static int lab_open_loop(struct lab_serve *l, struct err *e)
{
	int rc = uv_loop_init(&l->loop);

	if (rc)
		goto out;
	rc = uv_signal_init(&l->loop, &l->sigterm);
	if (rc) {
		uv_loop_close(&l->loop);
		goto out;
	}
	/* The loop's first signal handle has made all that these need. */
	uv_signal_init(&l->loop, &l->sigint);
	uv_pipe_init(&l->loop, &l->control, 0);
	l->control.data = l->sigterm.data = l->sigint.data = l;
	rc = uv_signal_start(&l->sigterm, lab_on_signal, SIGTERM);
	if (!rc)
		rc = uv_signal_start(&l->sigint, lab_on_signal, SIGINT);
	if (rc) {
		lab_end(l);
		uv_run(&l->loop, UV_RUN_DEFAULT);
		uv_loop_close(&l->loop);
	}
out:
	return rc ? err_set(e, ERR_LAB, "E_LAB", "cannot start the lab's supervisor: %s",
			    uv_strerror(rc))
		  : 0;
}

int lab_serve(const char *state, const struct target *t, bool stay, bool trace, struct err *e)
{
	struct lab_serve *l = mem_alloc(sizeof(*l));
	char *dir = lab_dir(state, t->name), line[1024];
	int fd = -1, rc = lab_hold(dir, &fd, e);

	if (rc > 0) {
		lab_say("busy");
		rc = 0;
		goto out;
	}
	if (rc)
		goto out;
	signal(SIGPIPE, SIG_IGN);
	l->target = t;
	l->bmc.lab = l->qemu.lab = l->chassis.lab = l;
	l->qemu.trace = trace;
	l->dir = dir;
	l->stay = stay;
	/* Its end takes the password away: here is one that was killed. */
	l->stale = path_exists(LAB_PASSWORD);
	rc = lab_open_loop(l, e);
	if (rc)
		goto out;
	if (lab_set_up(l, &l->err))
		lab_end(l);
	uv_run(&l->loop, UV_RUN_DEFAULT);
	uv_loop_close(&l->loop);
	lab_sweep(AT_FDCWD);
	if (l->qemu.log)
		fclose(l->qemu.log);
	*e = l->err;
	rc = -(int)e->cls;
out:
	if (rc) {
		snprintf(line, sizeof(line), "error %d %s %s", (int)e->cls,
			*e->code ? e->code : "-", e->msg);
		lab_say(line);
	}
	if (fd >= 0)
		close(fd);
	free(dir);
	free(l);
	return rc;
}
