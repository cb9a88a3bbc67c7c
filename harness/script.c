/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/script.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/embed.h"
#include "harness/base/str.h"

extern const struct embed embed_ipxe[];

enum { URL_MAX = 256, LONGEST_HOST = sizeof("http://255.255.255.255:65535") - 1 };

struct word {
	const char *name; /* stands as @name@ in the template */
	const char *value;
};

/* Copy a template, its words filled in. */
static int fill(struct buf *out, const char *name, const struct word *words, struct err *e)
{
	const struct embed *t = embed_ipxe;
	const char *p, *at;

	while (t->name && strcmp(t->name, name))
		t++;
	if (!t->name)
		return err_set(e, ERR_BUG, NULL, "boot script %s is not in this program", name);
	for (p = (const char *)t->data; (at = strchr(p, '@')); p = strchr(at + 1, '@') + 1) {
		const struct word *w = words;
		size_t n;

		while (w->name &&
			(n = strlen(w->name), strncmp(at + 1, w->name, n) || at[1 + n] != '@'))
			w++;
		if (!w->name)
			return err_set(
				e, ERR_BUG, NULL, "boot script %s: unknown word in it", name);
		buf_add(out, p, (size_t)(at - p));
		buf_adds(out, w->value);
	}
	buf_adds(out, p);
	if (out->failed)
		return err_set(e, ERR_BUG, NULL, "boot script %s is too long", name);
	return 0;
}

static int check_char(char c, char next, struct err *e)
{
	if (c < ' ' || c > '~')
		return err_set(e, ERR_USAGE, "E_CMDLINE",
			"hypervisor command line: byte 0x%02x in it; only printable ASCII passes",
			(unsigned char)c);
	if (strchr("'\"`\\", c))
		return err_set(e, ERR_USAGE, "E_CMDLINE",
			"hypervisor command line: iPXE does not pass %c on; leave it out", c);
	if (c == '$' && next == '{')
		return err_set(e, ERR_USAGE, "E_CMDLINE",
			"hypervisor command line: iPXE would expand \"${\"; leave it out");
	return 0;
}

static int check_word(const char *word, size_t n, struct err *e)
{
	static const char *const ends[] = {"||", "&&", ";", "--"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (n == strlen(ends[i]) && !memcmp(word, ends[i], n))
			return err_set(e, ERR_USAGE, "E_CMDLINE",
				"hypervisor command line: \"%s\" would end it; leave it out",
				ends[i]);
	if (*word == '#')
		return err_set(e, ERR_USAGE, "E_CMDLINE",
			"hypervisor command line: \"%.*s\" would start a comment; leave it out",
			(int)n, word);
	return 0;
}

/* The probe's own keys stand last and are ours. */
static int check_own(const char *text, struct err *e)
{
	if (strncmp(text, "hp_", 3) && !strstr(text, " hp_"))
		return 0;
	return err_set(e, ERR_USAGE, "E_CMDLINE",
		"hypervisor command line: keys hp_… are set by --samples, --iterations, --warmup "
		"and "
		"--workload; leave them out");
}

/* Add the words of text, one blank before each but the first of all. */
static int add_words(struct buf *out, const char *text, struct err *e)
{
	for (const char *p = text; *p; p++) {
		int rc = check_char(*p, p[1], e);

		if (rc)
			return rc;
	}
	for (;;) {
		size_t n;
		int rc;

		text += strspn(text, " ");
		n = strcspn(text, " ");
		if (!n)
			return 0;
		rc = check_word(text, n, e);
		if (rc)
			return rc;
		if (out->len)
			buf_addc(out, ' ');
		buf_add(out, text, n);
		text += n;
	}
}

/* url_len: of the URL that "/xen" is added to. */
static int check_length(const struct target *t, size_t url_len, size_t args_len, struct err *e)
{
	size_t used = args_len, max = SCRIPT_EFI_MAX;

	if (t->firmware == FIRMWARE_BIOS) {
		used = url_len + sizeof("/xen ") + args_len + url_len + sizeof("/dummy");
		max = SCRIPT_MULTIBOOT_MAX;
	}
	if (used <= max)
		return 0;
	return err_set(e, ERR_USAGE, "E_CMDLINE",
		"hypervisor command line: %zu bytes are %zu more than the boot loader passes on "
		"here; "
		"shorten the arguments",
		args_len, used - max);
}

int script_cmdline(struct buf *out, const struct target *t, const char *x2apic_mode,
	const char *extra, const struct script_probe *p, struct err *e)
{
	size_t host = t->netboot.url[0] ? strlen(t->netboot.url) : LONGEST_HOST;
	char mode[96] = "", keys[256];
	int rc;

	assert(!out->len);
	if (x2apic_mode && !str_is_name(x2apic_mode))
		return err_set(
			e, ERR_USAGE, "E_CMDLINE", "\"%.32s\" is no x2apic mode", x2apic_mode);
	if (x2apic_mode)
		snprintf(mode, sizeof(mode), "x2apic-mode=%s", x2apic_mode);
	if (snprintf(keys, sizeof(keys),
		    "hp_nonce=%s hp_work=%s hp_samples=%d hp_iters=%d hp_warmup=%d hp_repeat=%d",
		    p->nonce, p->workload, p->samples, p->iterations, p->warmup,
		    p->repeat) >= (int)sizeof(keys))
		return err_set(e, ERR_USAGE, "E_CMDLINE", "workload: the name is too long");
	if ((rc = check_own(t->hypervisor.args, e)) || (rc = check_own(extra ? extra : "", e)))
		return rc;
	if ((rc = add_words(out, t->hypervisor.serial, e)) ||
		(rc = add_words(out, t->hypervisor.args, e)) || (rc = add_words(out, mode, e)) ||
		(rc = add_words(out, extra ? extra : "", e)) || (rc = add_words(out, keys, e)))
		return rc;
	if (out->failed)
		return err_set(e, ERR_USAGE, "E_CMDLINE", "hypervisor command line: too long");
	return check_length(t, host + SCRIPT_TOKEN_PATH, out->len, e);
}

int script_check(const struct target *t, const char *extra, const struct script_probe *p,
	size_t *length, struct err *e)
{
	struct script_probe any = *p;
	char nonce[NONCE_HEX + 1];
	struct buf line;
	int rc;

	memset(nonce, 'f', NONCE_HEX);
	nonce[NONCE_HEX] = '\0';
	any.nonce = nonce;
	buf_init(&line, SCRIPT_TEXT_MAX);
	rc = script_cmdline(&line, t, NULL, extra, &any, e);
	if (length)
		*length = line.len;
	buf_release(&line);
	return rc;
}

static int check_url(const char *url, struct err *e)
{
	size_t n = strlen(url);

	if (strncmp(url, "http://", 7) || n > URL_MAX || url[n - 1] == '/')
		return err_set(e, ERR_USAGE, "E_URL",
			"netboot URL \"%.80s\": it must begin with http://, have at most %d bytes "
			"and "
			"end without /",
			url, URL_MAX);
	for (const char *p = url; *p; p++)
		if (*p <= ' ' || *p > '~' || strchr("'\"`\\$#?&;@", *p))
			return err_set(e, ERR_USAGE, "E_URL",
				"netboot URL \"%.80s\": character '%c' has no place in it", url,
				*p);
	return 0;
}

int script_boot(struct buf *out, const struct target *t, const char *base_url, const char *cmdline,
	struct err *e)
{
	char tries[12];
	struct buf args;
	int rc;

	buf_init(&args, SCRIPT_TEXT_MAX);
	snprintf(tries, sizeof(tries), "%d", SCRIPT_TRIES);
	if ((rc = check_url(base_url, e)) || (rc = add_words(&args, cmdline, e)) ||
		(rc = check_length(t, strlen(base_url), args.len, e)))
		goto out;
	rc = fill(out, t->firmware == FIRMWARE_UEFI ? "ipxe/boot-uefi.ipxe" : "ipxe/boot-bios.ipxe",
		(const struct word[]){
			{"url", base_url}, {"args", args.data}, {"tries", tries}, {NULL, NULL}},
		e);
out:
	buf_release(&args);
	return rc;
}

int script_idle(struct buf *out, const char *why, struct err *e)
{
	char text[128];
	size_t n = 0;

	for (; why[n] && n < sizeof(text) - 1; n++) {
		char c = why[n];

		text[n] = c >= ' ' && c <= '~' && !strchr("'\"`\\$#|&;@{}", c) ? c : '?';
	}
	text[n] = '\0';
	return fill(out, "ipxe/idle.ipxe", (const struct word[]){{"why", text}, {NULL, NULL}}, e);
}

int script_try(struct buf *out, const char *base_url, int wait_s, struct err *e)
{
	char wait[12];
	int rc = check_url(base_url, e);

	snprintf(wait, sizeof(wait), "%d", wait_s);
	return rc ? rc
		  : fill(out, "ipxe/try.ipxe",
			    (const struct word[]){{"url", base_url}, {"wait", wait}, {NULL, NULL}},
			    e);
}

int script_wait(struct buf *out, const char *base_url, const char *mac, struct err *e)
{
	int rc = check_url(base_url, e);

	return rc ? rc
		  : fill(out, "ipxe/wait.ipxe",
			    (const struct word[]){{"url", base_url}, {"mac", mac}, {NULL, NULL}},
			    e);
}
