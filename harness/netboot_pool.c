/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/netboot_pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

enum { MAC_TEXT = 18 };

struct pool_server {
	struct pool_server *next;
	struct netboot *netboot;
	char *listen_on;
	char (*macs)[MAC_TEXT]; /* n */
	size_t n;
};

struct netboot_pool {
	uv_loop_t *loop;
	struct pool_server *servers;
};

struct netboot_pool *netboot_pool_new(uv_loop_t *loop)
{
	struct netboot_pool *p = mem_alloc(sizeof(*p));

	p->loop = loop;
	return p;
}

static size_t pool_find_mac(const struct pool_server *s, const char *mac)
{
	size_t i = 0;

	while (i < s->n && strcmp(s->macs[i], mac) != 0)
		i++;
	return i;
}

static bool pool_any_port(const char *listen_on)
{
	const char *port = strrchr(listen_on, ':');

	return port && !strcmp(port, ":0");
}

static struct netboot *pool_add_mac(struct pool_server *s, const char *mac)
{
	assert(strlen(mac) < MAC_TEXT);
	s->macs = mem_grow(s->macs, s->n + 1, sizeof(*s->macs));
	memcpy(s->macs[s->n++], mac, strlen(mac) + 1);
	return s->netboot;
}

struct netboot *netboot_pool_get(
	struct netboot_pool *p, const char *listen_on, const char *mac, struct err *e)
{
	struct pool_server *s;
	struct netboot *n;

	for (s = p->servers; s; s = s->next) {
		if (strcmp(s->listen_on, listen_on) != 0)
			continue;
		if (pool_find_mac(s, mac) == s->n)
			return pool_add_mac(s, mac);
		if (pool_any_port(listen_on))
			continue;
		err_set(e, ERR_BUSY, "E_BUSY",
			"another machine of this run has the MAC address %s, too", mac);
		return NULL;
	}
	n = netboot_new(p->loop, listen_on, e);
	if (!n)
		return NULL;
	s = mem_alloc(sizeof(*s));
	s->netboot = n;
	s->listen_on = mem_strdup(listen_on);
	s->next = p->servers;
	p->servers = s;
	return pool_add_mac(s, mac);
}

void netboot_pool_put(struct netboot_pool *p, struct netboot *n, const char *mac)
{
	struct pool_server **link = &p->servers, *s;
	size_t i;

	if (!n)
		return;
	while ((*link)->netboot != n)
		link = &(*link)->next;
	s = *link;
	i = pool_find_mac(s, mac);
	assert(i < s->n);
	memmove(s->macs[i], s->macs[--s->n], MAC_TEXT);
	if (s->n)
		return;
	*link = s->next;
	netboot_free(n);
	free(s->listen_on);
	free(s->macs);
	free(s);
}

void netboot_pool_free(struct netboot_pool *p)
{
	assert(!p || !p->servers);
	free(p);
}
