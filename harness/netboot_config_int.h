/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the makers of DHCP configurations share; for harness/netboot_config*.c only. */
#ifndef HARNESS_NETBOOT_CONFIG_INT_H
#define HARNESS_NETBOOT_CONFIG_INT_H

#include "harness/netboot_config.h"
#include "harness/netboot_url.h"

/* One machine, checked.  The pointers borrow from its target. */
struct netboot_client {
	const char *name, *mac;
	char url[NETBOOT_URL_MAX];
	char server[16]; /* IPv4 of the TFTP server; "" = not known */
};

/* dnsmasq, also as proxy.  range and interface have been checked. */
void netboot_config_dnsmasq(
	const struct netboot_config *c, const struct netboot_client *m, size_t n, struct buf *out);
void netboot_config_dhcpd(const struct netboot_client *m, size_t n, struct buf *out);
void netboot_config_kea(const struct netboot_client *m, size_t n, struct buf *out);

#endif
