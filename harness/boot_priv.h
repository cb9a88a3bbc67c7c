/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a boot share: boot.c moves from stage to stage and decides, boot_power.c gets
 * the machine from any state to power-on with the override set and the console live, boot_next.c
 * does without power-off where a good boot went before, boot_gap.c opens a console again that was
 * lost, boot_late.c deals with a stage that ran past its deadline. */
#ifndef HARNESS_BOOT_PRIV_H
#define HARNESS_BOOT_PRIV_H

#include "harness/base/buf.h"
#include "harness/boot.h"
#include "harness/probe.h"

/* When the console was away. */
struct boot_gap {
	int losses;	  /* in this boot */
	int tries;	  /* to open it again, since the last loss */
	int64_t since;	  /* monotonic; 0: it is there */
	int64_t ns;	  /* away in all since power-on */
	bool any;	  /* away since power-on: something may be missing */
	enum stage stage; /* of the first one */
	uv_timer_t again;
};

struct boot {
	struct session *session;
	struct netboot *netboot;
	const char *base_url;
	const struct target *target;
	struct boot_spec spec;
	const struct boot_events *events;
	void *arg;

	struct boot_result r;
	struct stage_time *now;		   /* of the stage that runs */
	uv_timer_t deadline;		   /* of the stage */
	uv_timer_t wait;		   /* settle, console silence, tail of the report */
	bool deadline_looked, wait_looked; /* boot_unread() */
	int open_handles;
	bool finished;	 /* the outcome is decided */
	bool power_busy; /* a power command is under way */
	bool touched;	 /* the BMC has answered */
	bool uefi;
	bool files_loaded[2]; /* the image, its module */
	int scripts;	      /* how often the boot script was fetched */
	bool asking;	      /* debug keys were typed: the boot has failed, with r.err, once … */
	int64_t asked_ns;     /* … what came back since then, and … */
	size_t asked_at;      /* … from here on in the console, is over */
	struct boot_gap gap;
	int64_t quiet_since; /* monotonic; last console byte before power-on */
	bool noisy;	     /* there was one since the console is open */
	int off_again;	     /* how often it was told to go off because of that */
	int64_t heard_ns;    /* monotonic; last console byte since power-on; 0: none */
	int64_t script_lag;  /* from that to the first fetch of the script; -1: not known */
	bool held;	     /* what is served is the script that makes the machine ask again */
	bool arm_wanted;     /* once no power command is under way */
	int64_t armed_ns; /* monotonic; the override for the next boot is set since then; 0: no */
	struct netboot_boot *served;
	char *script;	     /* published at power-on; owned */
	char peer[64];	     /* address that the image was loaded from; "" before */
	int64_t tail_since;  /* monotonic; first DONE, 0 before */
	struct probe *probe; /* from power-on */
	struct buf console;  /* from power-on */
	struct buf flags;
	char hint[256];
};

/* The loop calls timers before it reads.  After a pause of ours what came in time may be unread
 * when one that waits for it fires: true, once, when that is to be read first; fn follows. */
bool boot_unread(uv_timer_t *t, bool *looked, uv_timer_cb fn);

/* Close the running stage's time, begin the next, arm its deadline. */
void boot_enter(struct boot *b, enum stage s);

/* Decide: failed, with b->r.err filled by the caller. */
void boot_fail(struct boot *b, enum outcome o);

/* A line for the run's log. */
void boot_note(struct boot *b, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A remark that does not fail the boot. */
void boot_flag(struct boot *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Power off, boot device, console, power on; ends in boot_powered() or boot_fail(). */
void boot_power(struct boot *b);

/* A power command has ended: false when the boot is over, and b then perhaps gone. */
bool boot_power_over(struct boot *b);

/* The same, where a failure is the boot's: true when it goes on. */
bool boot_power_ok(struct boot *b, const struct err *e);

/* What is left of the stage's deadline; at least 1. */
int boot_left_ms(const struct boot *b);

/* Boot override and console, then power-on or reset. */
void boot_device(struct boot *b);

/* Make the console live; fails the boot if it cannot be had. */
void boot_console(struct boot *b);

/* A reading beside the firmware: fails the boot if the machine is not on. */
void boot_check_on(struct boot *b);

/* The machine restarts by itself after a good boot: begin with that. */
void boot_from_restart(struct boot *b);

/* The same with a reset; and its second half, once override and console are there. */
void boot_from_reset(struct boot *b);
void boot_reset(struct boot *b);

/* The machine has its image, so that its script is not needed any more: get ready for its
 * restart. */
void boot_get_ready(struct boot *b);

/* No power command is under way any more: set the override for the next boot if that had to wait.
 */
void boot_arm_late(struct boot *b);

/* About to power on: from here on fetches and console bytes belong to this boot.  Fails the boot
 * when the files cannot be served. */
bool boot_serve(struct boot *b);

/* The machine has been told to power on. */
void boot_powered(struct boot *b);

/* The console cannot be had any more: a whole report that is there already still counts. */
void boot_no_console(struct boot *b, const struct err *e);

/* What is left of the stage's deadline; at least 1. */
int boot_left_ms(const struct boot *b);

/* Make the console live and go on; fails the boot if it cannot be had. */
void boot_console(struct boot *b);

/* The console broke: open it again, at longer and longer intervals, or fail. */
void boot_console_lost(struct boot *b, const struct err *e);

/* The boot's outcome is about to stand.  If it only says that something is missing, and the console
 * was away, that is why: the outcome becomes LAB, E_GAP. */
void boot_gap_blame(struct boot *b);

/* The report will not go on: what the console proves is the outcome.  False where it only shows
 * that something is missing: the caller's reason says more. */
bool boot_decided(struct boot *b);

/* The stage that runs is past its deadline: fails the boot, where a hypervisor hangs once it has
 * been asked why. */
void boot_late(struct boot *b);

/* While it is asked: something came; it is no use to wait for more. */
void boot_late_heard(struct boot *b);
void boot_late_over(struct boot *b);

/* The console shows that another system has booted: b->hint then says so. */
bool boot_other_system(struct boot *b);

/* Why else nobody asked for the boot script; borrows from b. */
const char *boot_no_script_hint(struct boot *b);

/* The machine has fetched its script: how long after the console's last byte? */
void boot_gap_script(struct boot *b);

/* After boot_fail() or the last record: go on once no power command is under way. */
void boot_settled(struct boot *b);

#endif
