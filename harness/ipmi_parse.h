/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ipmitool prints, as values.  Pure: no I/O, no state.  Text may hold anything; unknown text
 * gives "unknown", never a guess.
 */
#ifndef HARNESS_IPMI_PARSE_H
#define HARNESS_IPMI_PARSE_H

#include <stdbool.h>
#include <stddef.h>

/* Why ipmitool could not do something, most certain reason first. */
enum ipmi_fault {
	IPMI_FAULT_NONE, /* nothing that we know */
	IPMI_FAULT_RESOLVE,
	IPMI_FAULT_UNREACHABLE,
	IPMI_FAULT_USER,
	IPMI_FAULT_PASSWORD,
	IPMI_FAULT_KEY, /* the BMC's own key (Kg) */
	IPMI_FAULT_PRIVILEGE,
	IPMI_FAULT_CIPHER,
	IPMI_FAULT_SESSIONS, /* the BMC has no room for one more session */
	IPMI_FAULT_SOL_BUSY,
	IPMI_FAULT_SOL_DISABLED,
	IPMI_FAULT_SESSION, /* none could be established, no reason given */
	IPMI_FAULT_REFUSED, /* the BMC answered a command with an error */
	IPMI_FAULT_NO_ANSWER
};

enum ipmi_fault ipmi_parse_fault(const char *text);

/* `chassis power status`: 0 off, 1 on, -1 neither line found. */
int ipmi_parse_power(const char *text);

/* `chassis power on|off|cycle|reset`: was it accepted? */
bool ipmi_parse_control(const char *text);

/* `chassis bootparam get 5`: what the next boot is forced to. */
struct ipmi_boot {
	bool known;   /* the parameter was read */
	bool network; /* Force PXE */
	bool valid;   /* the flags say that they count; many BMCs do not keep that */
	bool efi;     /* BIOS EFI boot */
	char device[64];
};

struct ipmi_boot ipmi_parse_boot(const char *text);

/* Parameter 5 itself, as `raw 0x00 0x09 0x05 0x00 0x00` prints it (IPMI 2.0, table 28-14). */
enum { IPMI_BOOT_FLAGS = 5 };
bool ipmi_parse_boot_flags(const char *text, unsigned char out[IPMI_BOOT_FLAGS]);

/* What such bytes force: "PXE once, legacy"; "nothing".  *device is the selector, 0 for nothing, 1
 * for PXE. */
void ipmi_boot_words(
	const unsigned char flags[IPMI_BOOT_FLAGS], int *device, char *out, size_t size);

/* `raw 0x06 0x4b 0x01 0x01`: the session that holds the console, 0 when none does or the answer is
 * another. */
unsigned long ipmi_parse_sol_holder(const char *text);

/* `session info id`: who that is, "10.0.0.7, user 3"; "" when nothing is told. */
void ipmi_parse_session(const char *text, char *out, size_t size);

/* `raw 0x06 0x4a 0x01`, Get Payload Activation Status of SOL (IPMI 2.0, 24.4): 1 active, 0 not, -1
 * no such answer. */
int ipmi_parse_sol_active(const char *text);

/* The last line that is no chatter of -v, without leading blanks, cut at size; "" if there is none.
 */
void ipmi_parse_last_line(const char *text, char *out, size_t size);

/* Bytes of a starting `sol activate` up to and with the line that says that the session is live: 0
 * while there is none.  What follows is the console. */
size_t ipmi_parse_sol_start(const char *p, size_t n);

/* Cut ipmitool's own closing words out of a chunk of console data, in place; returns the new length
 * and sets *closed when they were there. */
size_t ipmi_parse_sol_end(char *p, size_t n, bool *closed);

#endif
