/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every key of a target file, in one table.
 *
 * The table drives parsing, checks, defaults, `harness machine show` and the rows of
 * targets/README.md (a unit test compares them), so that none of them can drift from the others.
 * A default is text and goes through the same parser as a value from a file.  No I/O here.
 */
#ifndef HARNESS_TARGET_KEYS_H
#define HARNESS_TARGET_KEYS_H

#include <stdint.h>

#include "harness/base/buf.h"
#include "targets/target.h"

enum key_type {
	KEY_TEXT,     /* printable */
	KEY_ID,	      /* letters, digits and -_.,=:+@ */
	KEY_HOST,     /* name or address */
	KEY_LISTEN,   /* address:port, [v6]:port */
	KEY_URL,      /* http://host[:port], without a trailing '/' */
	KEY_HTTPS,    /* the same with https:// */
	KEY_PIN,      /* sha256// and a key's hash in base64 */
	KEY_MAC,      /* kept in lower case with colons */
	KEY_HEX,      /* bytes as 0x00 0x08 … */
	KEY_CMDLINE,  /* printable ASCII without quotes, '\' and "${" */
	KEY_KEYS,     /* keys to type: letters, digits and *, or "none" */
	KEY_CHOICE,   /* one of words, kept as text */
	KEY_WORDS,    /* some of words, each once at most, kept as text */
	KEY_NAMES,    /* names as str_is_name(), each once at most, kept with one blank between */
	KEY_ENUM,     /* one of words, kept as its number (an int or enum) */
	KEY_INT,      /* min..max, an int */
	KEY_DURATION, /* min..max ms, an int in ms */
	KEY_BOOL,
	KEY_SECRET, /* a password's source; min is its enum secret_kind */
};

enum key_need {
	NEED_NO,
	NEED_YES,  /* in every file */
	NEED_REAL, /* unless the machine is virtual, and then refused */
	NEED_USER, /* unless the machine is virtual */
	NO_LAB,	   /* optional; refused for a virtual machine */
};

struct target_key {
	const char *section, *name;
	enum key_type type;
	enum key_need need;
	int64_t min, max;
	const char *words; /* "bios uefi", for CHOICE, WORDS and ENUM */
	const char *dflt;  /* NULL: zero or "" */
	size_t offset, size;
	const char *what; /* one sentence of documentation */
};

extern const struct target_key target_keys[];
extern const size_t target_keys_n;

/* The key, or NULL. */
const struct target_key *target_key_find(const char *section, const char *name);
/* The first key with this name in any section, or NULL. */
const struct target_key *target_key_anywhere(const char *name);
bool target_section_known(const char *section);

/* Names for "did you mean", borrowed: keys of a section, or (section NULL) all sections.  Returns
 * how many; names holds target_keys_n entries. */
size_t target_key_names(const char *section, const char **names);

/* Store a value.  0, or -1 with what would be right in why ("a number from 1 to 65535").  A
 * secret's path is stored as it stands. */
int target_key_set(
	struct target *t, const struct target_key *k, const char *value, struct buf *why);

/* The value as it could stand in a file; "" when unset. */
void target_key_get(const struct target *t, const struct target_key *k, struct buf *out);

/* What a value must look like: "a number from 1 to 65535", "bios or uefi". */
void target_key_describe(const struct target_key *k, struct buf *out);

/* The key's row of the tables in targets/README.md, without a newline. */
void target_key_row(const struct target_key *k, struct buf *out);

#endif
