/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One lab machine as its INI file describes it.
 *
 * targets/README.md documents every key.  A struct target that target_load() has filled is complete
 * and checked: every deadline is set, every number in range, every name safe.  It holds where a
 * password comes from, never the password.
 */
#ifndef HARNESS_TARGET_H
#define HARNESS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/err.h"
#include "harness/base/secret.h"
#include "harness/result.h"

enum target_firmware { FIRMWARE_BIOS, FIRMWARE_UEFI };
enum target_between { BETWEEN_RESTART, BETWEEN_RESET, BETWEEN_CYCLE };
enum target_idle { IDLE_OFF, IDLE_ON, IDLE_LEAVE };
enum target_flow { FLOW_NONE, FLOW_RTSCTS, FLOW_XONXOFF };

/* [lab]: present only for a virtual machine.  With it, bmc.host and bmc.port, the password and the
 * netboot port come from the running lab. */
struct target_lab {
	bool present;
	int cpus, sockets;
	int memory_mib;
	bool interrupt_remapping;
	char cpu[64];	     /* QEMU's -cpu */
	char accel[64];	     /* QEMU's -accel; "auto" is "tcg,thread=single" */
	char qemu_args[512]; /* more arguments, split at blanks */
};

struct target {
	char name[64]; /* the file's stem */
	char *file;    /* path; owned */
	char description[256];
	char cpu_model[96]; /* what the report calls the machine's CPU; "" = what the console says
			     */
	char tags[256];	    /* names, separated by one blank each; "" = none */
	char mac[18];	    /* of the netboot interface, lower case, with colons */
	enum target_firmware firmware;
	char firmware_version[96];
	int cpus;	       /* online CPUs that the hypervisor must report; 0 = any */
	int sockets;	       /* the same for sockets; 0 = any */
	enum target_idle idle; /* what the machine is left as after a run */
	enum target_between between_boots; /* how the machine gets from one boot to the next */

	struct {
		char driver[32];   /* "ipmi", "redfish", "command" */
		char fallback[64]; /* drivers that come after it, separated by blanks; "" = none */
		char command[512]; /* program and fixed words; "" unless a driver needs it */
		char host[256];
		int port;
		char user[64]; /* "" when nothing wants one, as host */
		enum secret_kind password_kind;
		char password_from[512];
		char url[272]; /* of Redfish, without a trailing '/'; "" = https:// and host */
		char ca_file[512],
			pin[128];	  /* whom Redfish trusts; "" = the system's authorities */
		char auth[16];		  /* "session", "basic" */
		char system[128];	  /* path or name of the system; "" = the only one */
		int cipher;		  /* lanplus cipher suite: 3, 17 … */
		char privilege[16];	  /* USER, OPERATOR, ADMINISTRATOR */
		char bootdev_options[64]; /* "", "efiboot" … */
		char bootdev_raw[256]; /* raw bytes sent instead of `chassis bootdev`; "" = none */
		int readings;	       /* agreeing power readings that make a state certain */
		int reading_gap_ms;    /* wait between two readings */
		int settle_ms;	       /* quiet time after a verified off */
		int quiet_ms;	       /* after each command to the BMC */
	} bmc;

	struct {
		char driver[32]; /* "sol", "tcp", "telnet", "rfc2217", "tty", "command" */
		char host[256];	 /* of the console server, for the drivers that have one */
		int port;
		char device[256]; /* tty: absolute path */
		int speed;	  /* baud; tty and rfc2217 */
		enum target_flow flow;
		char command[512]; /* for /bin/sh */
		int silence_ms; /* console silence that goes with a verified off; 0 = not checked */
	} console;

	struct {
		char listen[64]; /* address:port of our HTTP server; port 0 = chosen by the kernel
				  */
		char url[256];	 /* how the machine reaches it ("http://10.0.0.1:8070"); "" = from
				    listen */
	} netboot;

	struct {
		char args[768]; /* hypervisor command line on this machine, without the probe's keys
				 */
		char serial[128];    /* com1=… console=… */
		char debug_keys[16]; /* typed when it hangs; "none" = nothing is typed */
	} hypervisor;

	struct {
		char workload[WORKLOAD_MAX];
		int boots, samples, iterations, warmup, repeat;
	} measure;

	int deadline_ms[STAGE_COUNT];
	int retries; /* of a failed boot, per boot */
	struct target_lab lab;
};

/* Does anything about this machine log in to its BMC by itself?  If not, host, user and password
 * may be missing. */
bool target_uses_bmc(const struct target *t);

/* Read and check one file.  On failure the message is "file:line: what (did you mean …?)". */
int target_load(struct target *t, const char *file, struct err *e) must_check;

/* Find NAME.ini in the search path: dir (from --targets) if given, else $HARNESS_TARGETS,
 * ./targets, $XDG_CONFIG_HOME/harness/targets (~/.config/…), the shipped folder; first match wins.
 * An unknown name's message lists the nearest ones.  The variable that password_env names leaves
 * our environment (secret_hide()). */
int target_find(struct target *t, const char *dir, const char *name, struct err *e) must_check;

/* Names of all machines on the search path, sorted, each once; free with target_names_free(). */
int target_names(const char *dir, char ***names, size_t *n, struct err *e) must_check;
void target_names_free(char **names, size_t n);

bool target_has_tag(const struct target *t, const char *tag);

/* Names of all machines that have the tag, sorted; free with target_names_free().  A broken file
 * that was read far enough to see the tag is an error; another one is left out with a warning.  No
 * machine at all is class usage, and the message lists the tags there are. */
int target_tagged(
	const char *dir, const char *tag, char ***names, size_t *n, struct err *e) must_check;

void target_release(struct target *t); /* safe to call twice */

#endif
