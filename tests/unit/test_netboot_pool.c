/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <uv.h>

#include "harness/netboot_pool.h"

#define MAC_A "02:00:00:00:00:0a"
#define MAC_B "02:00:00:00:00:0b"

struct pool_fixture {
	uv_loop_t loop;
	struct netboot_pool *pool;
	struct err e;
};

static void pool_open(struct pool_fixture *f)
{
	f->e = (struct err)ERR_INIT;
	assert_int_equal(uv_loop_init(&f->loop), 0);
	f->pool = netboot_pool_new(&f->loop);
}

static void pool_close(struct pool_fixture *f)
{
	netboot_pool_free(f->pool);
	while (uv_loop_close(&f->loop))
		uv_run(&f->loop, UV_RUN_DEFAULT);
}

static struct netboot *get(struct pool_fixture *f, const char *listen_on, const char *mac)
{
	struct netboot *n = netboot_pool_get(f->pool, listen_on, mac, &f->e);

	if (!n)
		fail_msg("%s", f->e.msg);
	return n;
}

static void machines_that_listen_alike_share_a_server(void **state)
{
	struct pool_fixture f;
	struct netboot *a, *b, *other;

	(void)state;
	pool_open(&f);
	a = get(&f, "127.0.0.1:0", MAC_A);
	b = get(&f, "127.0.0.1:0", MAC_B);
	other = get(&f, "127.0.0.2:0", MAC_A);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, other);
	netboot_pool_put(f.pool, a, MAC_A);
	/* Still there for the other one. */
	assert_ptr_equal(get(&f, "127.0.0.1:0", MAC_A), b);
	netboot_pool_put(f.pool, b, MAC_B);
	netboot_pool_put(f.pool, a, MAC_A);
	netboot_pool_put(f.pool, other, MAC_A);
	netboot_pool_put(f.pool, NULL, MAC_A);
	pool_close(&f);
}

static void one_mac_address_needs_two_servers(void **state)
{
	char fixed[32];
	struct pool_fixture f;
	struct netboot *a, *b;

	(void)state;
	pool_open(&f);
	a = get(&f, "127.0.0.1:0", MAC_A);
	b = get(&f, "127.0.0.1:0", MAC_A);
	assert_ptr_not_equal(a, b);
	assert_int_not_equal(netboot_port(a), netboot_port(b));
	snprintf(fixed, sizeof(fixed), "127.0.0.1:%d", netboot_port(a));
	netboot_pool_put(f.pool, a, MAC_A);
	a = get(&f, fixed, MAC_A);
	assert_null(netboot_pool_get(f.pool, fixed, MAC_A, &f.e));
	assert_int_equal(f.e.cls, ERR_BUSY);
	assert_non_null(strstr(f.e.msg, MAC_A));
	netboot_pool_put(f.pool, a, MAC_A);
	netboot_pool_put(f.pool, b, MAC_A);
	pool_close(&f);
}

static void the_last_one_closes_the_server(void **state)
{
	char fixed[32];
	struct pool_fixture f;
	struct netboot *n;

	(void)state;
	pool_open(&f);
	n = get(&f, "127.0.0.1:0", MAC_A);
	snprintf(fixed, sizeof(fixed), "127.0.0.1:%d", netboot_port(n));
	/* Not the same words, and the port is taken. */
	assert_null(netboot_pool_get(f.pool, fixed, MAC_B, &f.e));
	assert_string_equal(f.e.code, "E_PORT");
	netboot_pool_put(f.pool, n, MAC_A);
	n = get(&f, fixed, MAC_B);
	netboot_pool_put(f.pool, n, MAC_B);
	pool_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_that_listen_alike_share_a_server),
		cmocka_unit_test(one_mac_address_needs_two_servers),
		cmocka_unit_test(the_last_one_closes_the_server),
	};

	return cmocka_run_group_tests_name("netboot pool", tests, NULL, NULL);
}
