/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of sim_lab.c share: the machines as their BMCs, their boot loaders and their
 * serial ports see them. */
#ifndef TESTS_TOOLS_SIM_LAB_H
#define TESTS_TOOLS_SIM_LAB_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "harness/base/buf.h"
#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"

enum { SIM_MAX = 1024, SIM_BUILD_ID = 20, SIM_SCRIPT = 128 };

enum sim_phase {
	SIM_OFF,
	SIM_FIRMWARE, /* says what firmware and boot loader say */
	SIM_LOADING,  /* fetches script and files */
	SIM_LOADED,   /* waits until all machines are */
	SIM_SYSTEM,   /* says what the hypervisor and the probe say */
	SIM_RESTART,
	SIM_STUCK /* nothing to boot from */
};

struct sim_lab;
struct sim_fetch;

struct sim_machine {
	struct sim_lab *lab;
	int index;
	char name[16], mac[18];

	/* Of the BMC; under the lab's lock. */
	bool want_on, net_once;
	unsigned resets;

	/* Of the loop from here on. */
	enum sim_phase phase;
	unsigned resets_seen;
	int boots; /* that showed a report */
	uint64_t until_ms;

	uv_tcp_t port;
	uv_tcp_t *line; /* who reads the serial port, or NULL */
	struct buf text;
	size_t sent;
	int64_t text_ns;    /* when its first byte was due */
	size_t done_at;	    /* end of the last record in it */
	int64_t done_ns;    /* wall clock when that was handed out; 0: not yet */
	FILE *stream;	    /* all that was said on the serial port */
	uint64_t said;	    /* its length */
	uint64_t boot_from; /* where in it this boot begins */
	int64_t spoke_ns;   /* when it last said anything in this text; 0: not yet */
	int64_t silent_ns;  /* between two such moments, at worst */
	size_t stalled;	    /* bytes that the reader had no room for, at worst, in this boot */

	struct sim_fetch *fetch;
	char args[1024]; /* of the hypervisor */
	unsigned char build_id[SIM_BUILD_ID];
	bool has_build_id;
	/* The image's first bytes: where they are "sim …", its first line says what it does. */
	char script[SIM_SCRIPT];
	size_t script_len;
};

struct sim_lab {
	uv_loop_t *loop;
	uv_timer_t tick;
	uv_async_t power; /* a BMC has switched */
	pthread_mutex_t lock;
	struct sim_machine *machines;
	int n;
	const char *dir;
	bool fast;     /* no pace of a serial line, no waiting for each other */
	char host[64]; /* of the controller's URL, with port */
	struct sockaddr_in controller;
	struct buf firmware, system; /* console of a real boot, in two parts */
	FILE *record;

	int64_t tick_ns;
	int peak;		     /* machines that spoke at the same time */
	int64_t behind_ns;	     /* of a tick, at worst: our own lateness */
	uint64_t dropped;	     /* bytes that nobody was there to read */
	int failed;		     /* boots that could not go on */
	int reopened;		     /* connections that were closed between two requests */
	unsigned requests, sessions; /* of BMCs, under the lock */
};

/* Does the image say itself what it does? */
static inline bool sim_scripted(const struct sim_machine *m)
{
	return !strncmp(m->script, "sim ", 4);
}

/* The machine's files are loaded; or why not. */
void sim_loaded(struct sim_machine *m, const char *failure);

#endif
