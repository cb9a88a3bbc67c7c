/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/path.h"
#include "harness/base/str.h"
#include "harness/lab_priv.h"

enum { BMC_TRIES = 5, BMC_PING_MS = 10, BMC_LOG_MAX = 1 << 16 };

/* A free UDP port of the kernel's choice.  Somebody may take it before ipmi_sim does: then it ends,
 * and another port is tried. */
static int lab_bmc_free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), port = 0;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd >= 0 && !bind(fd, (const struct sockaddr *)&a, sizeof(a)) &&
		!getsockname(fd, (struct sockaddr *)&a, &len))
		port = ntohs(a.sin_port);
	if (fd >= 0)
		close(fd);
	return port;
}

static int lab_bmc_write(const char *file, const struct buf *b, struct err *e)
{
	if (b->failed)
		return err_set(e, ERR_BUG, NULL, "%s would be too long", file);
	return path_write(file, b->data, b->len, 0600, e);
}

/* Without a guid ipmi_sim refuses sessions; without set_working_mc and chassis_control it answers
 * chassis commands with "invalid data field". */
static int lab_bmc_configure(struct lab_bmc *b, struct err *e)
{
	static const char emu[] =
		"mc_setbmc 0x20\n"
		"mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr\n"
		"sel_enable 0x20 1000 0x0a\n"
		"mc_enable 0x20\n";
	const struct target *t = b->lab->target;
	char guid[33];
	struct buf conf;
	int rc;

	str_random_hex(16, guid);
	buf_init(&conf, 4096);
	buf_addf(&conf,
		"name \"lab\"\nset_working_mc 0x20\nstartlan 1\naddr 127.0.0.1 %d\nguid %s\n"
		"priv_limit admin\nallowed_auths_admin none md2 md5 straight\nendlan\n"
		"chassis_control \"./chassis\"\nsol \"tcp:127.0.0.1:%d\" 115200\n"
		"user 2 true \"%s\" \"%s\" admin 10 none md2 md5 straight\n",
		b->port, guid, b->lab->serial.port, t->bmc.user, b->lab->password);
	rc = lab_bmc_write("lan.conf", &conf, e);
	buf_release(&conf);
	if (!rc)
		rc = path_write("bmc.emu", emu, sizeof(emu) - 1, 0600, e);
	/* What an earlier one has saved there would win over lan.conf. */
	if (!rc)
		rc = path_remove("ipmi_sim", e);
	if (!rc)
		rc = path_mkdirs("ipmi_sim", e);
	return rc;
}

static void lab_bmc_on_output(void *arg, int fd, const char *p, size_t n)
{
	struct lab_bmc *b = arg;

	(void)fd;
	if (b->log && ftell(b->log) < BMC_LOG_MAX) {
		fwrite(p, 1, n, b->log);
		fflush(b->log);
	}
}

static void lab_bmc_on_end(void *arg, struct child_result *r)
{
	struct lab_bmc *b = arg;
	struct err e = ERR_INIT;

	b->child = NULL;
	if (b->lab->ending || b->answered || ++b->tries >= BMC_TRIES) {
		lab_bmc_gone(b->lab, r->err.len ? r->err.data : r->out.data);
		return;
	}
	if (lab_bmc_start(b, &e))
		lab_bmc_gone(b->lab, e.msg);
}

/* An RMCP presence ping (ASF 2.0, section 3.2.4.3): who answers it on this port is our ipmi_sim,
 * since it would have ended had the port been taken. */
static void lab_bmc_ping(uv_timer_t *t)
{
	static char packet[] = {6, 0, (char)0xff, 6, 0, 0, 0x11, (char)0xbe, (char)0x80, 0, 0, 0};
	struct lab_bmc *b = t->data;
	uv_buf_t buf = uv_buf_init(packet, sizeof(packet));
	struct sockaddr_in to;

	uv_ip4_addr("127.0.0.1", b->port, &to);
	uv_udp_try_send(&b->ping, &buf, 1, (const struct sockaddr *)&to);
}

static void lab_bmc_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	static char space[512];

	(void)h;
	(void)suggested;
	*b = uv_buf_init(space, sizeof(space));
}

static void lab_bmc_on_pong(
	uv_udp_t *u, ssize_t n, const uv_buf_t *buf, const struct sockaddr *from, unsigned flags)
{
	struct lab_bmc *b = u->data;

	(void)buf;
	(void)flags;
	if (n <= 0 || !from || !b->child || b->answered ||
		ntohs(((const struct sockaddr_in *)(const void *)from)->sin_port) != b->port)
		return;
	b->answered = true;
	uv_timer_stop(&b->again);
	lab_bmc_up(b->lab);
}

/* The log, and what asks whether it is up. */
static int lab_bmc_open(struct lab_bmc *b, struct err *e)
{
	struct sockaddr_in any;
	int rc;

	b->log = fopen("ipmi_sim.log", "we");
	b->open = true;
	uv_timer_init(&b->lab->loop, &b->again);
	uv_udp_init(&b->lab->loop, &b->ping);
	b->again.data = b->ping.data = b;
	uv_ip4_addr("127.0.0.1", 0, &any);
	rc = uv_udp_bind(&b->ping, (const struct sockaddr *)&any, 0);
	if (!rc)
		rc = uv_udp_recv_start(&b->ping, lab_bmc_alloc, lab_bmc_on_pong);
	return rc ? err_set(e, ERR_LAB, "E_LAB", "cannot ask ipmi_sim whether it is up: %s",
			    uv_strerror(rc))
		  : 0;
}

int lab_bmc_start(struct lab_bmc *b, struct err *e)
{
	static const char *const argv[] = {
		"ipmi_sim", "-c", "lan.conf", "-f", "bmc.emu", "-s", "ipmi_sim", "-n", NULL};
	const struct child_opts o = {.argv = argv,
		.deadline_ms = CHILD_SERVICE,
		.out_max = 4096,
		.orphan_kill = true,
		.on_data = lab_bmc_on_output};
	int rc;

	b->port = lab_bmc_free_port();
	if (!b->port)
		return err_set(e, ERR_LAB, "E_LAB", "no free UDP port on the loopback");
	rc = lab_bmc_configure(b, e);
	if (rc)
		return rc;
	if (!b->open)
		rc = lab_bmc_open(b, e);
	if (rc)
		return rc;
	b->child = child_start(&b->lab->loop, &o, lab_bmc_on_end, b, e);
	if (!b->child)
		return -(int)e->cls;
	uv_timer_start(&b->again, lab_bmc_ping, BMC_PING_MS, BMC_PING_MS);
	return 0;
}

void lab_bmc_stop(struct lab_bmc *b)
{
	if (b->child)
		child_stop(b->child);
	if (b->open) {
		uv_close((uv_handle_t *)&b->again, NULL);
		uv_close((uv_handle_t *)&b->ping, NULL);
	}
	if (b->log)
		fclose(b->log);
	b->log = NULL;
	b->open = false;
}
