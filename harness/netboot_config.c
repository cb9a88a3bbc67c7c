/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "harness/netboot_config_int.h"

enum { INTERFACE_MAX = 15 }; /* IFNAMSIZ, less the NUL */

int netboot_format_find(enum netboot_format *f, const char *name, struct err *e)
{
	static const char *const names[] = {"dnsmasq", "dnsmasq-proxy", "dhcpd", "kea"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name)) {
			*f = (enum netboot_format)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, NULL,
		"netboot config: no format \"%.40s\"; there are dnsmasq, dnsmasq-proxy, dhcpd and "
		"kea",
		name);
}

static bool config_is_address(const char *s, struct in_addr *a)
{
	return inet_pton(AF_INET, s, a) == 1;
}

/* "2m" and more, "infinite", as dnsmasq takes it. */
static bool config_is_lease(const char *s)
{
	char number[8];
	size_t digits = strspn(s, "0123456789");
	int64_t n;

	if (!strcmp(s, "infinite"))
		return true;
	if (!digits || digits >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)digits, s);
	if (str_int(number, 1, 1000000, &n))
		return false;
	s += digits;
	return !strcmp(s, "m") ? n >= 2 : !strcmp(s, "h") || !strcmp(s, "d");
}

static int config_check_pool(const char *range, struct err *e)
{
	char *copy = mem_strdup(range), *save = NULL;
	char *first = strtok_r(copy, ",", &save), *last = strtok_r(NULL, ",", &save);
	char *lease = strtok_r(NULL, ",", &save);
	struct in_addr a, b;
	int rc = 0;

	if (!first || !last || !config_is_address(first, &a) || !config_is_address(last, &b) ||
		(lease && !config_is_lease(lease)) || strtok_r(NULL, ",", &save))
		rc = err_set(e, ERR_USAGE, NULL,
			"netboot config: --range takes FIRST,LAST[,LEASE] like "
			"10.0.0.100,10.0.0.199,1h, not \"%.80s\"",
			range);
	else if (ntohl(a.s_addr) > ntohl(b.s_addr))
		rc = err_set(e, ERR_USAGE, NULL,
			"netboot config: the range %.80s ends before it begins", range);
	free(copy);
	return rc;
}

/* Characters that end a value, or begin another, in dnsmasq's file. */
static bool config_is_plain(const char *s)
{
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || strchr("\"'\\#,", *s))
			return false;
	return true;
}

static int config_check_dnsmasq(const struct netboot_config *c, struct err *e)
{
	const char *range = c->range ? c->range : c->address;
	struct in_addr a;
	size_t len = c->interface ? strlen(c->interface) : 0;

	if (!len)
		return err_set(e, ERR_USAGE, NULL,
			"netboot config: which interface is the lab segment on? --interface NAME; "
			"dnsmasq is to answer there and nowhere else");
	if (len > INTERFACE_MAX || !config_is_plain(c->interface) || strpbrk(c->interface, "*/:") ||
		!strcmp(c->interface, "lo"))
		return err_set(e, ERR_USAGE, NULL,
			"netboot config: \"%.40s\" cannot be the interface of a lab segment",
			c->interface);
	if (*c->tftp_root != '/' || !config_is_plain(c->tftp_root))
		return err_set(e, ERR_USAGE, NULL,
			"netboot config: --tftp-root takes an absolute path without blanks, "
			"quotes, "
			"commas and #, not \"%.80s\"",
			c->tftp_root);
	if (c->format == NETBOOT_DNSMASQ)
		return c->range ? config_check_pool(c->range, e)
				: err_set(e, ERR_USAGE, NULL,
					  "netboot config: which addresses may the machines "
					  "have? --range FIRST,LAST[,LEASE]; or --format "
					  "dnsmasq-proxy where another server gives them");
	if (!range)
		return err_set(e, ERR_USAGE, NULL,
			"netboot config: interface %s has no IPv4 address on this host: --range "
			"ADDRESS says which one it will have",
			c->interface);
	return config_is_address(range, &a)
		       ? 0
		       : err_set(e, ERR_USAGE, NULL,
				 "netboot config: --range of dnsmasq-proxy takes one address, this "
				 "host's on %s, not \"%.80s\"",
				 c->interface, range);
}

static int config_check(const struct netboot_config *c, struct err *e)
{
	struct in_addr a;

	if (c->format == NETBOOT_DNSMASQ || c->format == NETBOOT_DNSMASQ_PROXY)
		return config_check_dnsmasq(c, e);
	if (c->tftp_server && !config_is_address(c->tftp_server, &a))
		return err_set(e, ERR_USAGE, NULL,
			"netboot config: --tftp-server takes an IPv4 address, not \"%.80s\"",
			c->tftp_server);
	return 0;
}

/* The host of the machine's address is a name: who resolves it? */
static void config_note_name(
	const struct netboot_config *c, const struct target *t, const char *host, struct buf *notes)
{
	if (c->format == NETBOOT_DNSMASQ)
		buf_addf(notes,
			"%s: netboot.url names %s, and this configuration gives no DNS server: "
			"write an address there, or add dhcp-option=option:dns-server,ADDRESS\n",
			t->name, host);
	else if (c->format != NETBOOT_DNSMASQ_PROXY && !c->tftp_server)
		buf_addf(notes,
			"%s: netboot.url names %s, and not an address: without --tftp-server "
			"ADDRESS, iPXE is asked of the DHCP server itself\n",
			t->name, host);
}

static int config_client(const struct netboot_config *c, const struct target *t,
	struct netboot_client *m, struct buf *notes, struct err *e)
{
	char host[NETBOOT_URL_MAX];
	struct in_addr a;
	int rc;

	if (t->lab.present)
		return err_set(e, ERR_USAGE, NULL,
			"%s is a virtual machine: its lab boots it without a DHCP server", t->name);
	if (!t->mac[0])
		return err_set(e, ERR_USAGE, NULL, "%s: [machine] lacks \"mac\"", t->file);
	rc = netboot_url_script(t, m->url, e);
	if (rc)
		return rc;
	m->name = t->name;
	m->mac = t->mac;
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(m->url + 7, ":/"), m->url + 7);
	if (!config_is_address(host, &a) && host[0] != '[')
		config_note_name(c, t, host, notes);
	if (config_is_address(c->tftp_server ? c->tftp_server : host, &a))
		inet_ntop(AF_INET, &a, m->server, sizeof(m->server));
	return 0;
}

static int config_check_twins(const struct netboot_client *m, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(m[i].mac, m[j].mac))
				return err_set(e, ERR_USAGE, NULL,
					"%s and %s have the same mac, %s: DHCP cannot tell them "
					"apart; --machine names those that are meant",
					m[j].name, m[i].name, m[i].mac);
	return 0;
}

int netboot_config_make(const struct netboot_config *c, const struct target *targets, size_t n,
	struct buf *out, struct buf *notes, struct err *e)
{
	struct netboot_client *m;
	int rc = config_check(c, e);

	if (!rc && !n)
		rc = err_set(e, ERR_USAGE, NULL,
			"netboot config: there is no machine but virtual ones; harness machine "
			"list shows them");
	if (rc)
		return rc;
	m = mem_array(n, sizeof(*m));
	for (size_t i = 0; i < n && !rc; i++)
		rc = config_client(c, &targets[i], &m[i], notes, e);
	if (!rc)
		rc = config_check_twins(m, n, e);
	if (!rc && c->format == NETBOOT_KEA)
		netboot_config_kea(m, n, out);
	else if (!rc && c->format == NETBOOT_DHCPD)
		netboot_config_dhcpd(m, n, out);
	else if (!rc)
		netboot_config_dnsmasq(c, m, n, out);
	if (!rc && (out->failed || notes->failed))
		rc = err_set(e, ERR_USAGE, NULL,
			"netboot config: too many machines for one configuration (%zu)", n);
	free(m);
	return rc;
}
