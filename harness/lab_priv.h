/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a lab's supervisor: lab_serve.c answers and decides, lab_bmc.c runs ipmi_sim,
 * lab_qemu.c runs QEMU, lab_chassis.c and lab_serial.c join the two.  All on one loop; the
 * process's working directory is the lab's folder, so that sockets and files have short names. */
#ifndef HARNESS_LAB_PRIV_H
#define HARNESS_LAB_PRIV_H

#include <stdbool.h>
#include <stdio.h>
#include <uv.h>

#include "harness/base/child.h"
#include "harness/base/err.h"
#include "targets/target.h"

struct lab_serve;

/* ipmi_sim. */
struct lab_bmc {
	struct lab_serve *lab;
	struct child *child;
	FILE *log;
	int port; /* UDP, on 127.0.0.1 */
	int tries;
	bool open, answered;
	uv_udp_t ping;
	uv_timer_t again;
};

/* Write its configuration and start it on a free port.  When it answers, lab_bmc_up() is called;
 * when it ends, lab_bmc_gone(). */
int lab_bmc_start(struct lab_bmc *b, struct err *e) must_check;
void lab_bmc_stop(struct lab_bmc *b);
void lab_bmc_up(struct lab_serve *lab);
void lab_bmc_gone(struct lab_serve *lab, const char *why);

/* QEMU behind the chassis control. */
struct lab_qemu {
	struct lab_serve *lab;
	struct child *child;
	FILE *log;
	char version[96]; /* "QEMU 10.0.2, tcg" */
	bool stopping, restart;
	bool pxe;      /* next power-on boots from the network; taken by that power-on */
	bool tftp;     /* a UEFI machine that loads iPXE as a file */
	int http_port; /* 0: no netboot */
	bool trace;
	int starts;	     /* names the trace file */
	char trace_file[32]; /* in the lab's folder */
};

/* For a UEFI machine: its firmware and a fresh store for its variables. */
int lab_qemu_prepare(struct lab_qemu *q, struct err *e) must_check;
int lab_qemu_start(struct lab_qemu *q, struct err *e) must_check;
void lab_qemu_stop(struct lab_qemu *q);
/* Has it really ended? */
bool lab_qemu_running(const struct lab_qemu *q);
/* QEMU has ended. */
void lab_qemu_gone(struct lab_serve *lab);

/* What ipmi_sim asks the machine ("get power", "set boot pxe"): it starts the program ./chassis for
 * each question and waits for it.  Ours is a few lines of shell that pass the question through one
 * FIFO and the answer through another: a few milliseconds, where a start of this program takes ten
 * times as long, and a boot has some ten questions. */
struct lab_chassis {
	struct lab_serve *lab;
	uv_pipe_t question;
	int answer; /* FIFO */
	char chunk[512], line[512];
	size_t n;
	bool open;
};

int lab_chassis_init(struct lab_chassis *c, uv_loop_t *loop, struct err *e) must_check;
void lab_chassis_close(struct lab_chassis *c);
struct buf;
/* Any number of requests in one line; an answer line for each `get`. */
void lab_answer_chassis(struct lab_serve *lab, char *line, struct buf *out);

/* The serial line: ipmi_sim stays connected to tcp, QEMU comes and goes on a unix socket, and so
 * may one more reader on a second TCP port (console driver tcp).  Bytes from QEMU go to both; they
 * wait while one is slow (QEMU's socket is not read on), and are dropped for who is absent. */
struct lab_serial {
	uv_tcp_t listen_bmc, listen_raw;
	uv_pipe_t listen_qemu;
	uv_stream_t *bmc, *raw, *qemu; /* connected, or NULL */
	uv_loop_t *loop;
	int port;     /* TCP, on 127.0.0.1; ipmi_sim's */
	int raw_port; /* the other one */
	bool paused;  /* QEMU is not read because a reader is behind */
	bool closing;
};

int lab_serial_init(struct lab_serial *s, uv_loop_t *loop, struct err *e) must_check;
void lab_serial_close(struct lab_serial *s);

struct lab_serve {
	uv_loop_t loop;
	const struct target *target;
	struct lab_bmc bmc;
	struct lab_qemu qemu;
	struct lab_serial serial;
	struct lab_chassis chassis;
	char password[33];
	char *dir;
	bool stay;
	uv_pipe_t control;
	uv_signal_t sigterm, sigint;
	bool ready, ending;
	bool stale;	/* the last supervisor did not end properly */
	struct err err; /* why it could not come up, or had to end */
};

#endif
