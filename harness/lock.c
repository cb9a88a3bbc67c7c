/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/base/mem.h"
#include "harness/base/path.h"

static void lock_read(int fd, char *out, size_t size)
{
	ssize_t n = pread(fd, out, size - 1, 0);

	out[n > 0 ? n : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

static void lock_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* 0, or -1 when another process has it. */
static int lock_mac(struct lock *l, const char *mac)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, "harness-machine-%s", mac);
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);

	l->mac_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->mac_fd >= 0 && !bind(l->mac_fd, (const struct sockaddr *)&a, len))
		return 0;
	lock_close(&l->mac_fd);
	return -1;
}

int lock_acquire(struct lock *l, const char *state, const char *machine, const char *mac,
	const char *holder, struct err *e)
{
	char *dir = mem_printf("%s/locks", state);
	char *file = mem_printf("%s/%s.lock", dir, machine);
	size_t len = strlen(holder);
	int rc = path_mkdirs(dir, e), fd = -1;

	if (rc)
		goto out;
	fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0) {
		rc = err_set(
			e, ERR_LAB, "E_STATE", "cannot open lock %s: %s", file, strerror(errno));
		goto out;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		lock_read(fd, l->former, sizeof(l->former));
		rc = err_set(e, ERR_BUSY, "E_BUSY", "%s is in use by %s", machine,
			l->former[0] ? l->former : "another controller");
		goto out;
	}
	if (mac && lock_mac(l, mac)) {
		rc = err_set(e, ERR_BUSY, "E_BUSY",
			"%s (%s) is in use by another run on this host, under another name or from "
			"another state folder",
			machine, mac);
		goto out;
	}
	lock_read(fd, l->former, sizeof(l->former));
	l->took_over = l->former[0] != '\0';
	if (ftruncate(fd, 0) || pwrite(fd, holder, len, 0) != (ssize_t)len) {
		rc = err_set(
			e, ERR_LAB, "E_STATE", "cannot write lock %s: %s", file, strerror(errno));
		goto out;
	}
	l->fd = fd;
	fd = -1;
out:
	if (rc)
		lock_close(&l->mac_fd);
	if (fd >= 0)
		close(fd);
	free(file);
	free(dir);
	return rc;
}

void lock_release(struct lock *l)
{
	/* An empty file tells the next holder that this one ended by itself. */
	if (l->fd >= 0 && ftruncate(l->fd, 0))
		l->took_over = false;
	lock_close(&l->fd);
	lock_close(&l->mac_fd);
}

void lock_give_back(struct lock *l)
{
	size_t len = strlen(l->former);

	if (l->fd >= 0 && l->took_over && !ftruncate(l->fd, 0) &&
		pwrite(l->fd, l->former, len, 0) == (ssize_t)len)
		lock_close(&l->fd);
	lock_release(l);
}

void lock_holder(const char *state, const char *machine, char *out, size_t size)
{
	char *file = mem_printf("%s/locks/%s.lock", state, machine);
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	out[0] = '\0';
	if (fd >= 0) {
		lock_read(fd, out, size);
		close(fd);
	}
	free(file);
}
