/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many machines in one process, to load a controller with: each has a Redfish system, netboots
 * from the controller as iPXE does, and says on a serial port (raw TCP), at the pace of 115200
 * baud, what a real boot with the probe in it said.
 *
 * usage: sim_lab DIR COUNT CONTROLLER_PORT CONSOLE [fast]
 *
 * DIR has key.pem, cert.pem and pin of the BMCs, and password.  Made there: targets/simNNN.ini with
 * tag "sim", ready (when all listens), and for each boot a line in record: machine, number, nonce,
 * where in DIR/NAME.console it begins and its last record ends, wall clock when that was handed
 * out, most bytes that its reader had no room for, longest silence (ms) while it had something to
 * say.  CONSOLE is the console of a real boot. Machines
 * that have loaded their image wait for each other, so that all consoles run at the same time.
 * With "fast" they do not, and nothing takes the time that it takes.
 *
 * An image whose first line is "sim ns=110000 noise=0.3" makes a machine measure that; one with
 * "sim hang" says nothing once it is loaded, and so do all while there is DIR/hang.
 * SIGTERM ends it; then DIR/summary says what there was to say of them all.
 */
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tools/sim_bmc.h"
#include "tests/tools/sim_console.h"
#include "tests/tools/sim_ipxe.h"

enum {
	SIM_TICK_MS = 10,
	SIM_BYTES_S = 11520,
	SIM_FIRMWARE_MS = 400,
	SIM_TOGETHER_MS = 30000, /* how long machines wait for each other */
	SIM_RESTART_MS = 200,
	SIM_FAST_BYTES = 8192 /* a tick */
};

static uint64_t sim_now_ms(const struct sim_lab *lab)
{
	return uv_now(lab->loop);
}

static void sim_say(struct sim_machine *m)
{
	m->sent = 0;
	m->text_ns = clock_mono_ns();
	m->spoke_ns = m->silent_ns = 0;
}

/* From power on or a restart: firmware, then what the override says. */
static void sim_begin(struct sim_machine *m)
{
	bool net;

	pthread_mutex_lock(&m->lab->lock);
	net = m->net_once;
	m->net_once = false;
	pthread_mutex_unlock(&m->lab->lock);
	ipxe_stop(m);
	m->phase = SIM_FIRMWARE;
	m->until_ms = sim_now_ms(m->lab) + (m->lab->fast ? 0 : SIM_FIRMWARE_MS);
	m->boot_from = m->said;
	m->stalled = 0;
	m->done_at = 0;
	m->done_ns = 0;
	buf_clear(&m->text);
	buf_add(&m->text, m->lab->firmware.data, m->lab->firmware.len);
	if (!net) {
		buf_adds(&m->text, "Booting from Hard Disk...\r\n");
		m->phase = SIM_STUCK;
	}
	sim_say(m);
}

static void sim_off(struct sim_machine *m)
{
	ipxe_stop(m);
	m->phase = SIM_OFF;
	buf_clear(&m->text);
	m->sent = 0;
}

static void sim_on_power(uv_async_t *a)
{
	struct sim_lab *lab = a->data;

	for (int i = 0; i < lab->n; i++) {
		struct sim_machine *m = &lab->machines[i];
		unsigned resets;
		bool on;

		pthread_mutex_lock(&lab->lock);
		resets = m->resets;
		on = m->want_on;
		pthread_mutex_unlock(&lab->lock);
		if (resets == m->resets_seen)
			continue;
		m->resets_seen = resets;
		if (on)
			sim_begin(m);
		else
			sim_off(m);
	}
}

void sim_loaded(struct sim_machine *m, const char *failure)
{
	char hang[4096];

	if (failure) {
		fprintf(stderr, "%s: %s\n", m->name, failure);
		m->lab->failed++;
		m->phase = SIM_STUCK;
		return;
	}
	m->phase = SIM_LOADED;
	m->boots++;
	buf_clear(&m->text);
	m->sent = 0;
	snprintf(hang, sizeof(hang), "%s/hang", m->lab->dir);
	if (!strncmp(m->script, "sim hang", 8) || !access(hang, F_OK)) {
		m->phase = SIM_STUCK;
		return;
	}
	console_system(m);
	m->until_ms = sim_now_ms(m->lab) + (m->lab->fast ? 0 : SIM_TOGETHER_MS);
}

static void sim_done(struct sim_machine *m)
{
	m->done_ns = clock_wall_ns();
	fprintf(m->lab->record, "%s %d %s %llu %llu %lld %zu %d\n", m->name, m->boots,
		console_arg(m, "hp_nonce="), (unsigned long long)m->boot_from,
		(unsigned long long)(m->said - (m->sent - m->done_at)), (long long)m->done_ns,
		m->stalled, (int)(m->silent_ns / 1000000));
	fflush(m->lab->record);
}

/* Hand out what is due. */
static void sim_send(struct sim_machine *m, int64_t now)
{
	int64_t due = (now - m->text_ns) / 1000 * SIM_BYTES_S / 1000000;
	size_t upto = due < (int64_t)m->text.len ? (size_t)due : m->text.len, n;
	uv_buf_t b = uv_buf_init(m->text.data + m->sent, (unsigned)(upto - m->sent));
	int taken;

	if (m->lab->fast) {
		upto = m->sent + SIM_FAST_BYTES;
		upto = upto < m->text.len ? upto : m->text.len;
		b.len = upto - m->sent;
	}
	if (upto <= m->sent || m->phase == SIM_LOADED)
		return;
	n = upto - m->sent;
	if (!m->line) {
		/* After the report nobody need listen any more. */
		if (m->phase == SIM_SYSTEM && m->sent < m->done_at)
			m->lab->dropped += n;
		m->sent = upto;
		return;
	}
	if (m->spoke_ns && now - m->spoke_ns > m->silent_ns)
		m->silent_ns = now - m->spoke_ns;
	m->spoke_ns = now;
	taken = uv_try_write((uv_stream_t *)m->line, &b, 1);
	if (taken < 0)
		taken = 0;
	fwrite(b.base, 1, (size_t)taken, m->stream);
	m->sent += (size_t)taken;
	m->said += (size_t)taken;
	if (n - (size_t)taken > m->stalled)
		m->stalled = n - (size_t)taken;
	if (m->done_at && !m->done_ns && m->sent >= m->done_at)
		sim_done(m);
}

static void sim_step(struct sim_machine *m, uint64_t now_ms, bool together)
{
	switch (m->phase) {
	case SIM_FIRMWARE:
		if (m->sent == m->text.len && now_ms >= m->until_ms) {
			m->phase = SIM_LOADING;
			ipxe_start(m);
		}
		break;
	case SIM_LOADED:
		if (!together && now_ms < m->until_ms)
			break;
		m->phase = SIM_SYSTEM;
		sim_say(m);
		break;
	case SIM_SYSTEM:
		if (m->sent == m->text.len) {
			m->phase = SIM_RESTART;
			m->until_ms = now_ms + (m->lab->fast ? 0 : SIM_RESTART_MS);
		}
		break;
	case SIM_RESTART:
		if (now_ms >= m->until_ms)
			sim_begin(m);
		break;
	default:
		break;
	}
}

static void sim_on_tick(uv_timer_t *t)
{
	struct sim_lab *lab = t->data;
	int64_t now = clock_mono_ns(), late = now - lab->tick_ns - SIM_TICK_MS * 1000000;
	int loaded = 0, speak = 0;

	if (lab->tick_ns && late > lab->behind_ns)
		lab->behind_ns = late;
	lab->tick_ns = now;
	for (int i = 0; i < lab->n; i++) {
		struct sim_machine *m = &lab->machines[i];

		loaded += m->phase == SIM_LOADED;
		speak += m->phase == SIM_SYSTEM && m->sent < m->done_at;
		sim_send(m, now);
	}
	if (speak > lab->peak)
		lab->peak = speak;
	for (int i = 0; i < lab->n; i++)
		sim_step(&lab->machines[i], sim_now_ms(lab), loaded == lab->n);
}

static void sim_on_line_closed(uv_handle_t *h)
{
	free(h);
}

static void sim_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	static char space[4096];

	(void)h;
	(void)suggested;
	*b = uv_buf_init(space, sizeof(space));
}

static void sim_on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct sim_machine *m = s->data;

	(void)b;
	if (n >= 0)
		return;
	m->line = NULL;
	uv_close((uv_handle_t *)s, sim_on_line_closed);
}

/* One reader at a time, as a terminal server has it. */
static void sim_on_connection(uv_stream_t *server, int status)
{
	struct sim_machine *m = server->data;
	int room = 64 << 10;
	uv_tcp_t *line;

	if (status)
		return;
	line = mem_alloc(sizeof(*line));
	uv_tcp_init(m->lab->loop, line);
	line->data = m;
	if (uv_accept(server, (uv_stream_t *)line) || m->line) {
		uv_close((uv_handle_t *)line, sim_on_line_closed);
		return;
	}
	uv_tcp_nodelay(line, 1);
	/* Little room, so that a reader that is some seconds behind shows. */
	uv_send_buffer_size((uv_handle_t *)line, &room);
	m->line = line;
	uv_read_start((uv_stream_t *)line, sim_alloc, sim_on_read);
}

static int sim_port(struct sim_machine *m)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int len = sizeof(at);

	uv_tcp_init(m->lab->loop, &m->port);
	m->port.data = m;
	if (uv_tcp_bind(&m->port, (struct sockaddr *)&at, 0) ||
		uv_listen((uv_stream_t *)&m->port, 4, sim_on_connection) ||
		uv_tcp_getsockname(&m->port, (struct sockaddr *)&at, &len))
		return 0;
	return ntohs(at.sin_port);
}

/* A file in the lab's folder. */
static FILE *sim_open(struct sim_lab *lab, const char *name)
{
	char *path = mem_printf("%s/%s", lab->dir, name);
	FILE *f = fopen(path, "we");

	if (!f) {
		perror(path);
		exit(1);
	}
	free(path);
	return f;
}

/* Each BMC has an address of its own, so that no two take turns; the service is one. */
static void sim_target(struct sim_machine *m, int bmc_port, int serial_port, const char *pin)
{
	char name[48];
	FILE *f;

	snprintf(name, sizeof(name), "targets/%s.ini", m->name);
	f = sim_open(m->lab, name);
	fprintf(f,
		"[machine]\ndescription = simulated\ntags = sim\nmac = %s\nfirmware = "
		"bios\nbetween_boots = cycle\n"
		"cpus = 8\nsockets = 1\n"
		"[bmc]\ndriver = redfish\nhost = 127.9.%d.%d\nurl = https://127.0.0.1:%d\n"
		"pin = %s\nuser = %s\npassword_file = ../password\n"
		"readings = 2\nreading_gap = 100ms\nsettle = 0\n"
		"[console]\ndriver = tcp\nhost = 127.0.0.1\nport = %d\nsilence = 100ms\n"
		"[netboot]\nlisten = %s\nurl = http://%s\n",
		m->mac, m->index / 250, m->index % 250 + 1, bmc_port, pin, m->name, serial_port,
		m->lab->host, m->lab->host);
	fprintf(f,
		"[measure]\nsamples = 450\niterations = 1\nwarmup = 3\nboots = 1\n[deadlines]\n");
	for (const char *const *s = (const char *const[]){"power-off", "boot-device", "console",
		     "power-on", "firmware", "ipxe", "load", "hypervisor", "probe", "done", NULL};
		*s; s++)
		fprintf(f, "%s = 2m\n", *s);
	fclose(f);
}

static void sim_make(struct sim_lab *lab, int bmc_port, const char *pin)
{
	for (int i = 0; i < lab->n; i++) {
		struct sim_machine *m = &lab->machines[i];
		char name[32];
		int port;

		m->lab = lab;
		m->index = i;
		snprintf(m->name, sizeof(m->name), "sim%03d", i);
		snprintf(m->mac, sizeof(m->mac), "52:54:01:00:%02x:%02x", i >> 8, i & 255);
		buf_init(&m->text, CONSOLE_TEXT);
		snprintf(name, sizeof(name), "%s.console", m->name);
		m->stream = sim_open(lab, name);
		port = sim_port(m);
		if (!port) {
			fprintf(stderr, "%s: no serial port\n", m->name);
			exit(1);
		}
		sim_target(m, bmc_port, port, pin);
	}
}

static void sim_on_signal(uv_signal_t *s, int sig)
{
	(void)sig;
	uv_stop(s->loop);
}

static char *sim_read(const char *dir, const char *name)
{
	char *path = mem_printf("%s/%s", dir, name);
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 65536);
	if (path_read(path, &b, &e)) {
		fprintf(stderr, "sim_lab: %s\n", e.msg);
		exit(1);
	}
	free(path);
	return buf_detach(&b);
}

static void sim_sum_up(struct sim_lab *lab)
{
	FILE *f = sim_open(lab, "summary");

	for (int i = 0; i < lab->n; i++)
		fclose(lab->machines[i].stream);
	fclose(lab->record);
	pthread_mutex_lock(&lab->lock);
	fprintf(f,
		"peak %d\nbehind_ms %lld\ndropped %llu\nfailed %d\nreopened %d\nrequests %u\n"
		"sessions %u\n",
		lab->peak, (long long)(lab->behind_ns / 1000000), (unsigned long long)lab->dropped,
		lab->failed, lab->reopened, lab->requests, lab->sessions);
	fclose(f);
}

int main(int argc, char **argv)
{
	static struct sim_lab lab = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct rlimit files;
	struct err e = ERR_INIT;
	uv_signal_t term;
	int64_t n, port;
	char *pin;
	int bmc;

	lab.fast = argc == 6 && !strcmp(argv[5], "fast");
	if (argc != 5 + lab.fast || str_int(argv[2], 1, SIM_MAX, &n) ||
		str_int(argv[3], 1, 65535, &port)) {
		fprintf(stderr, "usage: sim_lab DIR COUNT CONTROLLER_PORT CONSOLE [fast]\n");
		return 2;
	}
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	lab.dir = argv[1];
	lab.n = (int)n;
	lab.loop = uv_default_loop();
	lab.machines = mem_array((size_t)n, sizeof(*lab.machines));
	snprintf(lab.host, sizeof(lab.host), "127.0.0.1:%d", (int)port);
	uv_ip4_addr("127.0.0.1", (int)port, &lab.controller);
	if (console_read(&lab, argv[4], &e)) {
		fprintf(stderr, "sim_lab: %s\n", e.msg);
		return 1;
	}
	uv_async_init(lab.loop, &lab.power, sim_on_power);
	lab.power.data = lab.tick.data = &lab;
	lab.record = sim_open(&lab, "record");
	bmc = bmc_start(&lab, sim_read(lab.dir, "key.pem"), sim_read(lab.dir, "cert.pem"));
	if (!bmc) {
		fprintf(stderr, "sim_lab: the Redfish service does not start\n");
		return 1;
	}
	pin = sim_read(lab.dir, "pin");
	sim_make(&lab, bmc, pin);
	uv_timer_init(lab.loop, &lab.tick);
	uv_timer_start(&lab.tick, sim_on_tick, SIM_TICK_MS, SIM_TICK_MS);
	uv_signal_init(lab.loop, &term);
	uv_signal_start(&term, sim_on_signal, SIGTERM);
	fclose(sim_open(&lab, "ready"));
	uv_run(lab.loop, UV_RUN_DEFAULT);
	sim_sum_up(&lab);
	return 0;
}
