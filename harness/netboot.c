/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/netboot.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"
#include "harness/netboot_int.h"

enum { IDLE_SECONDS = 5, HEAD_MAX = 16384, BACKLOG = 1024 };

/* Let libmicrohttpd do what is ready, and ask when it wants to be called without an event. */
static void step(struct netboot *n)
{
	MHD_UNSIGNED_LONG_LONG ms;

	n->running = true;
	MHD_run(n->daemon);
	n->running = false;
	if (n->free_later) {
		netboot_free(n);
		return;
	}
	if (MHD_get_timeout(n->daemon, &ms) == MHD_YES) {
		void (*again)(uv_timer_t *) = n->io->timer.timer_cb;

		uv_timer_start(&n->io->timer, again, ms, 0);
	} else {
		uv_timer_stop(&n->io->timer);
	}
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct netboot_io *io = poll->data;

	(void)status;
	(void)events;
	if (io->server)
		step(io->server);
}

static void on_timer(uv_timer_t *timer)
{
	struct netboot_io *io = timer->data;

	if (io->server)
		step(io->server);
}

static void on_closed(uv_handle_t *h)
{
	struct netboot_io *io = h->data;

	if (!--io->open)
		free(io);
}

static int port_error(struct err *e, const char *listen_on)
{
	if (errno == EADDRINUSE)
		return err_set(e, ERR_LAB, "E_PORT",
			"cannot serve boot files on %s: the port is in use; end what listens "
			"there, or "
			"set another port (0 for any) in [netboot] listen",
			listen_on);
	return err_set(e, ERR_LAB, "E_PORT",
		"cannot serve boot files on %s: %s; set [netboot] listen to an address of this "
		"machine",
		listen_on, strerror(errno));
}

static int open_socket(const char *listen_on, int *port, struct err *e)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM,
	};
	struct sockaddr_storage bound;
	socklen_t len = sizeof(bound);
	struct addrinfo *at = NULL;
	char host[64], service[8];
	int fd = -1, one = 1, number;

	if (netboot_listen(listen_on, host, &number))
		goto bad;
	snprintf(service, sizeof(service), "%d", number);
	if (getaddrinfo(host, service, &hints, &at))
		goto bad;
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
		bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, BACKLOG) ||
		getsockname(fd, (struct sockaddr *)&bound, &len)) {
		port_error(e, listen_on);
		if (fd >= 0)
			close(fd);
		fd = -1;
	} else {
		*port = ntohs(bound.ss_family == AF_INET6
				      ? ((struct sockaddr_in6 *)&bound)->sin6_port
				      : ((struct sockaddr_in *)&bound)->sin_port);
	}
	freeaddrinfo(at);
	return fd;
bad:
	err_set(e, ERR_USAGE, "E_PORT",
		"\"%.80s\" is no address to listen on: write ADDRESS:PORT or [ADDRESS]:PORT, in "
		"numbers",
		listen_on);
	return -1;
}

struct netboot *netboot_new(uv_loop_t *loop, const char *listen_on, struct err *e)
{
	struct netboot *n = mem_alloc(sizeof(*n));
	const union MHD_DaemonInfo *info;
	int fd = open_socket(listen_on, &n->port, e);

	if (fd < 0)
		goto fail;
	signal(SIGPIPE, SIG_IGN);
	n->daemon = MHD_start_daemon(MHD_USE_EPOLL | (*listen_on == '[' ? MHD_USE_IPv6 : 0), 0,
		NULL, NULL, netboot_http_request, n, MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd,
		MHD_OPTION_NOTIFY_COMPLETED, netboot_http_completed, n,
		MHD_OPTION_NOTIFY_CONNECTION, netboot_http_connection, n,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)NETBOOT_CONNECTIONS,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX,
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
	if (!n->daemon) {
		close(fd);
		err_set(e, ERR_LAB, "E_HTTP", "cannot start the HTTP server on %s", listen_on);
		goto fail;
	}
	info = MHD_get_daemon_info(n->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	n->io = mem_alloc(sizeof(*n->io));
	n->io->server = n;
	n->io->open = 3;
	n->io->poll.data = n->io->timer.data = n->io->sent.data = n->io;
	uv_timer_init(loop, &n->io->timer);
	uv_timer_start(&n->io->timer, on_timer, 0, 0);
	uv_timer_init(loop, &n->io->sent);
	if (uv_poll_init(loop, &n->io->poll, info->epoll_fd) ||
		uv_poll_start(&n->io->poll, UV_READABLE, on_ready)) {
		/* Only a descriptor that epoll cannot watch gets here. */
		err_set(e, ERR_BUG, NULL, "cannot watch the HTTP server's descriptor");
		n->io->open = 2;
		uv_close((uv_handle_t *)&n->io->timer, on_closed);
		uv_close((uv_handle_t *)&n->io->sent, on_closed);
		n->io->server = NULL;
		MHD_stop_daemon(n->daemon);
		goto fail;
	}
	return n;
fail:
	free(n);
	return NULL;
}

int netboot_port(const struct netboot *n)
{
	return n->port;
}

void netboot_strangers(struct netboot *n, netboot_stranger_fn *fn, void *arg)
{
	n->stranger = fn;
	n->stranger_arg = arg;
}

void netboot_free(struct netboot *n)
{
	if (!n)
		return;
	while (n->boots)
		netboot_end(n->boots);
	n->free_later = n->running;
	if (n->running)
		return;
	n->io->server = NULL;
	uv_poll_stop(&n->io->poll);
	uv_close((uv_handle_t *)&n->io->poll, on_closed);
	uv_close((uv_handle_t *)&n->io->timer, on_closed);
	uv_close((uv_handle_t *)&n->io->sent, on_closed);
	MHD_stop_daemon(n->daemon);
	free(n);
}

struct netboot_boot *netboot_prepare(
	struct netboot *n, const char *mac, netboot_event_fn *fn, void *arg, struct err *e)
{
	struct netboot_boot *b = mem_alloc(sizeof(*b));

	if (netboot_mac(mac, b->mac)) {
		err_set(e, ERR_USAGE, "E_MAC", "\"%.40s\" is no MAC address", mac);
		free(b);
		return NULL;
	}
	for (struct netboot_boot *o = n->boots; o; o = o->next)
		if (!strcmp(o->mac, b->mac)) {
			err_set(e, ERR_BUSY, NULL, "a boot for the machine with MAC %s is running",
				b->mac);
			free(b);
			return NULL;
		}
	str_random_hex(NETBOOT_TOKEN / 2, b->token);
	b->server = n;
	b->fn = fn;
	b->arg = arg;
	b->next = n->boots;
	n->boots = b;
	n->n_boots++;
	return b;
}

const char *netboot_base(struct netboot_boot *b, const char *base_url)
{
	size_t len = strlen(base_url);

	while (len && base_url[len - 1] == '/')
		len--;
	free(b->base);
	b->base = mem_printf("%.*s/b/%s", (int)len, base_url, b->token);
	return b->base;
}

static int open_file(struct netboot_served *s, const struct netboot_file *f, struct err *e)
{
	struct stat st;

	s->fd = -1;
	if (!str_is_name(f->name) || !strcmp(f->name, "failed") || (!f->path && !f->text))
		return err_set(e, ERR_BUG, NULL, "boot file \"%.64s\" cannot be served", f->name);
	s->name = mem_strdup(f->name);
	if (!f->path) {
		s->text = mem_strdup(f->text);
		s->size = strlen(f->text);
		return 0;
	}
	s->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (s->fd < 0 || fstat(s->fd, &st))
		return err_set(e, ERR_IMAGE, "E_FILE", "cannot open boot file %s: %s", f->path,
			strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_IMAGE, "E_FILE", "boot file %s is not a file", f->path);
	s->size = (uint64_t)st.st_size;
	return 0;
}

int netboot_publish(struct netboot_boot *b, const char *script, const struct netboot_file *files,
	size_t n, struct err *e)
{
	assert(!b->files);
	b->files = mem_array(n ? n : 1, sizeof(*b->files));
	for (size_t i = 0; i < n; i++) {
		int rc;

		b->n_files = i + 1;
		rc = open_file(&b->files[i], &files[i], e);
		if (rc)
			return rc;
	}
	netboot_hold(b, script);
	return 0;
}

void netboot_hold(struct netboot_boot *b, const char *script)
{
	free(b->script);
	b->script = mem_strdup(script);
}

/* The socket is closed with a reset when libmicrohttpd sees this, so that not even what the kernel
 * has queued is sent. */
static void cut(struct netboot_fetch *f)
{
	struct linger now = {.l_onoff = 1, .l_linger = 0};

	f->boot = NULL;
	f->file = "";
	f->served = NULL;
	setsockopt(f->sock, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	shutdown(f->sock, SHUT_RDWR);
}

void netboot_end(struct netboot_boot *b)
{
	struct netboot_boot **link;
	struct netboot *n;

	if (!b)
		return;
	n = b->server;
	for (struct netboot_fetch *f = n->fetches; f; f = f->next)
		if (f->boot == b)
			cut(f);
	netboot_sent_forget(b);
	uv_timer_start(&n->io->timer, on_timer, 0, 0);
	for (link = &n->boots; *link != b;)
		link = &(*link)->next;
	*link = b->next;
	n->n_boots--;
	for (size_t i = 0; i < b->n_files; i++) {
		if (b->files[i].fd >= 0)
			close(b->files[i].fd);
		free(b->files[i].name);
		free(b->files[i].text);
	}
	free(b->files);
	free(b->script);
	free(b->base);
	explicit_bzero(b->token, sizeof(b->token));
	free(b);
}
