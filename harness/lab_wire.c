/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/lab_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/stop.h"

char *lab_dir(const char *state, const char *machine)
{
	return mem_printf("%s/labs/%s", state, machine);
}

void lab_sweep(int dirfd)
{
	static const char *const files[] = {
		LAB_SOCKET, LAB_SERIAL_SOCKET, LAB_QUESTION, LAB_ANSWER, LAB_PASSWORD, "lan.conf"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlinkat(dirfd, files[i], 0);
}

/* The address goes through the folder's descriptor: a socket's path holds 107 bytes only. */
static int lab_connect(const char *dir, int ms, int *err)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const struct timeval limit = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
	const struct timeval look = {.tv_usec = STOP_LOOK_MS * 1000};
	int dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	*err = errno;
	if (dirfd < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	*err = errno;
	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/" LAB_SOCKET, dirfd);
	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look)) ||
			       setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) ||
			       connect(fd, (const struct sockaddr *)&a, sizeof(a)))) {
		*err = errno;
		close(fd);
		fd = -1;
	}
	close(dirfd);
	return fd;
}

/* recv() that looks up now and then. */
static ssize_t lab_recv(int fd, char *p, size_t size, int64_t until)
{
	ssize_t n;

	do
		n = recv(fd, p, size, 0);
	while (n < 0 && (errno == EAGAIN || errno == EINTR) && clock_mono_ns() < until &&
		!stop_asked());
	return n;
}

int lab_call(const char *dir, const char *request, int ms, struct buf *reply, bool *running,
	struct err *e)
{
	int64_t until = clock_mono_ns() + (int64_t)ms * 1000000;
	char line[LAB_LINE_MAX], chunk[1024], took[16];
	int n = snprintf(line, sizeof(line), "%s\n", request), fd, rc = 0, err = 0;
	ssize_t k;

	*running = false;
	if (n < 0 || (size_t)n >= sizeof(line))
		return err_set(e, ERR_BUG, NULL, "request to the lab is too long");
	fd = lab_connect(dir, ms, &err);
	if (fd < 0 && (err == ENOENT || err == ENOTDIR || err == ECONNREFUSED))
		return 0;
	*running = true;
	if (fd < 0)
		goto fail;
	if (send(fd, line, (size_t)n, MSG_NOSIGNAL) != n) {
		err = errno;
		goto fail;
	}
	while ((k = lab_recv(fd, chunk, sizeof(chunk), until)) > 0)
		if (buf_add(reply, chunk, (size_t)k))
			break;
	err = errno;
	if (k >= 0)
		goto out;
	/* It closed our connection unread: it is about to end. */
	if (err == ECONNRESET) {
		buf_clear(reply);
		goto out;
	}
	if (stop_asked()) {
		rc = stop_err("asking the virtual lab", e);
		goto out;
	}
fail:
	clock_human((int64_t)ms * 1000000, took, sizeof(took));
	rc = err_set(e, ERR_LAB, "E_LAB",
		"the lab in %s does not answer: %s%s; harness lab down --force ends it", dir,
		err == EAGAIN ? "no reply within " : strerror(err), err == EAGAIN ? took : "");
out:
	if (fd >= 0)
		close(fd);
	return rc;
}
