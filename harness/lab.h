/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The virtual lab: a real BMC simulator (ipmi_sim) with QEMU behind its chassis control.
 *
 * One supervisor process a machine (`harness lab serve`) owns ipmi_sim and QEMU, passes the serial
 * port between them, and answers on a socket in STATE/labs/<machine>/.  When the supervisor ends,
 * both children end.  A run that finds no lab starts one as its child and ends it with the run;
 * `harness lab up` starts one that stays until `harness lab down`.
 */
#ifndef HARNESS_LAB_H
#define HARNESS_LAB_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"
#include "targets/target.h"

enum { LAB_PATH_MAX = 4096, LAB_DOWN_MS = 10000, LAB_TOLD_MS = 5000 };

struct lab_info {
	bool running;
	bool stay;	 /* until lab_down(); else it ends with the run that started it */
	bool ours;	 /* lab_up() has started it, just now */
	bool powered;	 /* QEMU is running */
	int pid;	 /* supervisor */
	int bmc_port;	 /* on 127.0.0.1, UDP */
	int serial_port; /* on 127.0.0.1, TCP: the serial line, every byte as it is */
	char user[64];
	char password_file[LAB_PATH_MAX]; /* mode 0600 */
	char dir[LAB_PATH_MAX];		  /* logs: ipmi_sim.log, qemu.log, trace */
	char qemu[96];			  /* "QEMU 10.0.2, tcg" */
	bool trace;			  /* APIC trace is on; see trace_file */
	char trace_file[LAB_PATH_MAX];
};

/* What runs for this machine; running == false is not an error.  A folder whose name is too long
 * for any of it is (class usage). */
int lab_status(
	const char *state, const char *machine, struct lab_info *out, struct err *e) must_check;

/* Start a supervisor and wait (10 s) until its BMC answers; when it does not, or stop_asked(), it
 * is ended.  One that runs already is left as it is: see out->stay and out->ours.  stay: it
 * outlives us; otherwise it ends when we do.  trace: QEMU writes its APIC register writes to
 * trace_file. */
int lab_up(const char *state, const struct target *t, bool stay, bool trace, struct lab_info *out,
	struct err *e) must_check;

/* End it and wait until it is gone.  Not running is success.  One that does not answer is killed,
 * with all that it has started, when it is our child or with force; else that is an error.  ms: how
 * long it may take (LAB_DOWN_MS); a child of ours is killed after half of that. */
int lab_down(const char *state, const char *machine, bool force, int ms, struct err *e) must_check;

/* Where the next power-on netboots from: our HTTP server's port on the host's loopback (0:
 * nowhere).  ms: for its answer (LAB_TOLD_MS). */
int lab_set_netboot(
	const char *state, const char *machine, int http_port, int ms, struct err *e) must_check;

/* The supervisor itself: returns when it was told to end.  On standard output it says "ready"
 * ("ready stale" when the one before it was killed), "busy" (another one has the folder) or "error
 * CLASS CODE text", once. */
int lab_serve(
	const char *state, const struct target *t, bool stay, bool trace, struct err *e) must_check;

#endif
