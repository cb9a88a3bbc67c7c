/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/fixture_target.h"

#include "harness/base/mem.h"
#include "harness/netboot_config.h"
#include "harness/netboot_url.h"

#define COMMAND \
	"[bmc]\ndriver = command\ncommand = /bin/true\n[console]\ndriver = tty\ndevice = /dev/x\n"

/* A machine of which only the last byte of its address and its [netboot] matter. */
static void machine(struct target *t, const char *name, const char *mac, const char *netboot)
{
	char text[1024], file[80];
	struct err e;

	snprintf(text, sizeof(text),
		"[machine]\nmac = 02:00:00:00:00:%s\n" COMMAND "[netboot]\n%s\n", mac, netboot);
	snprintf(file, sizeof(file), "%s.ini", name);
	assert_int_equal(load(t, file, text, strlen(text), &e), 0);
}

static void the_address_is_url_or_where_we_listen(void **state)
{
	static const struct {
		const char *netboot;
		int port;
		const char *url;
	} cases[] = {
		{"listen = 10.0.0.1:8070", 0, "http://10.0.0.1:8070"},
		{"listen = 10.0.0.1:8070", 9, "http://10.0.0.1:9"},
		{"listen = [fd00::1]:8070", 0, "http://[fd00::1]:8070"},
		{"listen = 0.0.0.0:8070\nurl = http://ctl", 0, "http://ctl"},
		{"listen = 10.0.0.1:8070\nurl = http://ctl:80", 9, "http://ctl:80"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char url[NETBOOT_URL_MAX];
		struct err e = ERR_INIT;
		struct target t;

		machine(&t, "a", "01", cases[i].netboot);
		assert_int_equal(netboot_url(&t, cases[i].port, url, &e), 0);
		assert_string_equal(url, cases[i].url);
		target_release(&t);
	}
}

static void an_address_that_leads_nowhere_is_refused(void **state)
{
	char url[NETBOOT_URL_MAX];
	struct err e = ERR_INIT;
	struct target t;

	(void)state;
	machine(&t, "a", "01", "listen = 10.0.0.1:8070");
	snprintf(t.netboot.listen, sizeof(t.netboot.listen), "10.0.0.1:0");
	assert_int_equal(netboot_url(&t, 0, url, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "set a fixed port"));
	snprintf(t.netboot.listen, sizeof(t.netboot.listen), "0.0.0.0:8070");
	assert_int_equal(netboot_url(&t, 0, url, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "netboot.url must say"));
	/* "http://", 93 bytes, "/ipxe?mac=" and a mac are 127. */
	snprintf(t.netboot.url, sizeof(t.netboot.url), "http://%093d", 0);
	assert_int_equal(netboot_url_script(&t, url, &e), 0);
	assert_int_equal(strlen(url), 127);
	snprintf(t.netboot.url, sizeof(t.netboot.url), "http://%094d", 0);
	assert_int_equal(netboot_url_script(&t, url, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "shorter name"));
	snprintf(t.netboot.url, sizeof(t.netboot.url), "http://%0240d", 0);
	assert_int_equal(netboot_url_script(&t, url, &e), -ERR_USAGE);
	target_release(&t);
}

struct made {
	struct target t[3];
	struct buf out, notes;
	struct err e;
	int rc;
};

/* Three machines: two by address and one by name. */
static void make(struct made *m, const struct netboot_config *c, size_t n)
{
	buf_init(&m->out, 1 << 20);
	buf_init(&m->notes, 1 << 20);
	m->e = (struct err)ERR_INIT;
	machine(&m->t[0], "a", "01", "listen = 10.0.0.1:8070");
	machine(&m->t[1], "b.2", "0b", "listen = 0.0.0.0:8071\nurl = http://10.0.0.2:8071");
	machine(&m->t[2], "c", "0c", "listen = 0.0.0.0:80\nurl = http://ctl.lab.example");
	m->rc = netboot_config_make(c, m->t, n, &m->out, &m->notes, &m->e);
}

static void made_release(struct made *m)
{
	for (size_t i = 0; i < 3; i++)
		target_release(&m->t[i]);
	buf_release(&m->out);
	buf_release(&m->notes);
}

static void has_line(const struct made *m, const char *line)
{
	char *whole = mem_printf("\n%s\n", line);

	if (!strstr(m->out.data, whole))
		fail_msg("no line \"%s\" in:\n%s", line, m->out.data);
	free(whole);
}

static const struct netboot_config full = {.format = NETBOOT_DNSMASQ,
	.interface = "eth1",
	.range = "10.0.0.100,10.0.0.199,2h",
	.tftp_root = "/srv/tftp"};
static const struct netboot_config proxy = {.format = NETBOOT_DNSMASQ_PROXY,
	.interface = "eth1",
	.address = "10.0.0.7",
	.tftp_root = "/srv/tftp"};

static void dnsmasq_sends_each_machine_to_its_own_address(void **state)
{
	struct made m;

	(void)state;
	make(&m, &full, 3);
	assert_int_equal(m.rc, 0);
	has_line(&m, "port=0");
	has_line(&m, "interface=eth1");
	has_line(&m, "tftp-root=/srv/tftp");
	has_line(&m, "dhcp-range=10.0.0.100,10.0.0.199,2h");
	has_line(&m, "dhcp-ignore=tag:!harness");
	has_line(&m, "dhcp-host=02:00:00:00:00:01,id:*,set:harness,set:harness-a");
	has_line(&m,
		"dhcp-boot=tag:harness-a,tag:ipxe,http://10.0.0.1:8070/ipxe?mac=02:00:00:00:00:01");
	has_line(&m, "dhcp-host=02:00:00:00:00:0b,id:*,set:harness,set:harness-b.2");
	has_line(&m, "dhcp-boot=tag:harness-b.2,tag:ipxe,http://10.0.0.2:8071/"
		     "ipxe?mac=02:00:00:00:00:0b");
	has_line(&m, "dhcp-boot=tag:harness-c,tag:ipxe,http://ctl.lab.example/"
		     "ipxe?mac=02:00:00:00:00:0c");
	/* Only the one with a name wants DNS. */
	assert_true(!strncmp(m.notes.data, "c: netboot.url names ctl.lab.example, ", 38));
	assert_ptr_equal(strchr(m.notes.data, '\n'), m.notes.data + m.notes.len - 1);
	made_release(&m);
}

static void a_proxy_gives_no_address_and_names_a_server(void **state)
{
	struct netboot_config c = proxy;
	struct made m;

	(void)state;
	make(&m, &c, 2);
	assert_int_equal(m.rc, 0);
	has_line(&m, "dhcp-range=10.0.0.7,proxy");
	has_line(&m, "pxe-service=tag:harness,tag:!ipxe,x86PC,\"iPXE\",undionly.kpxe");
	has_line(&m, "dhcp-boot=tag:harness-a,tag:ipxe,"
		     "http://10.0.0.1:8070/ipxe?mac=02:00:00:00:00:01,,10.0.0.7");
	made_release(&m);
	c.range = "10.0.0.8";
	make(&m, &c, 2);
	has_line(&m, "dhcp-range=10.0.0.8,proxy");
	assert_string_equal(m.notes.data, "");
	made_release(&m);
}

static void existing_servers_get_what_to_add(void **state)
{
	struct netboot_config c = {.format = NETBOOT_DHCPD};
	struct made m;

	(void)state;
	make(&m, &c, 3);
	assert_int_equal(m.rc, 0);
	has_line(&m, "subclass \"harness\" 1:02:00:00:00:00:0b {");
	has_line(&m, "\tnext-server 10.0.0.2;");
	has_line(&m, "\t\tfilename \"http://10.0.0.2:8071/ipxe?mac=02:00:00:00:00:0b\";");
	assert_non_null(strstr(m.notes.data, "c: netboot.url names ctl.lab.example"));
	made_release(&m);

	c.format = NETBOOT_KEA;
	c.tftp_server = "10.0.0.9";
	make(&m, &c, 3);
	assert_int_equal(m.rc, 0);
	has_line(&m, "\t\"name\": \"harness-c-ipxe\",");
	has_line(&m, "\t\"test\": \"pkt4.mac == 0x02000000000c and option[175].exists\",");
	has_line(&m, "\t\"boot-file-name\": \"http://ctl.lab.example/ipxe?mac=02:00:00:00:00:0c\"");
	has_line(&m, "\t\"next-server\": \"10.0.0.9\",");
	assert_null(strstr(m.out.data, "\"10.0.0.1\""));
	assert_string_equal(m.notes.data, "");
	made_release(&m);
}

static void what_makes_no_configuration_is_told_in_one_line(void **state)
{
	static const struct {
		struct netboot_config c;
		const char *says;
	} cases[] = {
		{{NETBOOT_DNSMASQ, NULL, "10.0.0.1,10.0.0.2", NULL, "/t", NULL},
			"--interface NAME"},
		{{NETBOOT_DNSMASQ, "a b", "10.0.0.1,10.0.0.2", NULL, "/t", NULL},
			"\"a b\" cannot be"},
		{{NETBOOT_DNSMASQ, "lo", "10.0.0.1,10.0.0.2", NULL, "/t", NULL},
			"\"lo\" cannot be"},
		{{NETBOOT_DNSMASQ, "e", NULL, "10.0.0.7", "/t", NULL}, "--range FIRST,LAST"},
		{{NETBOOT_DNSMASQ, "e", "10.0.0.1", NULL, "/t", NULL}, "--range takes FIRST,LAST"},
		{{NETBOOT_DNSMASQ, "e", "10.0.0.1,x", NULL, "/t", NULL},
			"--range takes FIRST,LAST"},
		{{NETBOOT_DNSMASQ, "e", "10.0.0.1,10.0.0.2,1m", NULL, "/t", NULL}, "--range takes"},
		{{NETBOOT_DNSMASQ, "e", "10.0.0.1,10.0.0.2,9,9", NULL, "/t", NULL},
			"--range takes"},
		{{NETBOOT_DNSMASQ, "e", "10.0.0.1,10.0.0.2,2m,proxy", NULL, "/t", NULL},
			"--range takes"},
		{{NETBOOT_DNSMASQ, "e", "10.0.1.0,10.0.0.9", NULL, "/t", NULL}, "before it begins"},
		{{NETBOOT_DNSMASQ, "e", "10.0.0.1,10.0.0.2", NULL, "t", NULL}, "absolute path"},
		{{NETBOOT_DNSMASQ, "e", "10.0.0.1,10.0.0.2", NULL, "/t#", NULL}, "absolute path"},
		{{NETBOOT_DNSMASQ_PROXY, "e", NULL, NULL, "/t", NULL}, "has no IPv4 address"},
		{{NETBOOT_DNSMASQ_PROXY, "e", "10.0.0.1,10.0.0.2", NULL, "/t", NULL},
			"one address"},
		{{NETBOOT_DHCPD, NULL, NULL, NULL, NULL, "host"}, "--tftp-server takes"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m;

		make(&m, &cases[i].c, 3);
		assert_int_equal(m.rc, -ERR_USAGE);
		if (!strstr(m.e.msg, cases[i].says))
			fail_msg("case %zu says: %s", i, m.e.msg);
		made_release(&m);
	}
}

static void machines_that_dhcp_cannot_tell_apart_are_refused(void **state)
{
	struct netboot_config c = {.format = NETBOOT_KEA};
	struct buf out, notes;
	struct target t[2];
	struct err e = ERR_INIT;

	(void)state;
	buf_init(&out, 1 << 20);
	buf_init(&notes, 1 << 20);
	machine(&t[0], "a", "01", "listen = 10.0.0.1:8070");
	machine(&t[1], "b", "01", "listen = 10.0.0.1:8070");
	assert_int_equal(netboot_config_make(&c, t, 2, &out, &notes, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "a and b have the same mac, 02:00:00:00:00:01"));
	assert_int_equal(netboot_config_make(&c, t, 0, &out, &notes, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "no machine but virtual ones"));
	t[0].lab.present = true;
	assert_int_equal(netboot_config_make(&c, t, 1, &out, &notes, &e), -ERR_USAGE);
	assert_non_null(strstr(e.msg, "a is a virtual machine"));
	target_release(&t[0]);
	target_release(&t[1]);
	buf_release(&out);
	buf_release(&notes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_address_is_url_or_where_we_listen),
		cmocka_unit_test(an_address_that_leads_nowhere_is_refused),
		cmocka_unit_test(dnsmasq_sends_each_machine_to_its_own_address),
		cmocka_unit_test(a_proxy_gives_no_address_and_names_a_server),
		cmocka_unit_test(existing_servers_get_what_to_add),
		cmocka_unit_test(what_makes_no_configuration_is_told_in_one_line),
		cmocka_unit_test(machines_that_dhcp_cannot_tell_apart_are_refused),
	};

	return cmocka_run_group_tests_name("netboot-config", tests, setup, teardown);
}
