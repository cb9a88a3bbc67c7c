/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"

enum { ASKERS_MAX = 4096, NAME_TRIES = 20, NAME_GAP_US = 10000 };

#define NS_PER_S INT64_C(1000000000)

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

static socklen_t lock_mac_address(struct sockaddr_un *a, const char *mac)
{
	int n;

	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "harness-machine-%s", mac);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* 0, or -1 when another process has it. */
static int lock_mac(struct lock *l, const char *mac)
{
	struct sockaddr_un a;
	socklen_t len = lock_mac_address(&a, mac);

	l->mac_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* It listens so that others can ask the kernel who it is; nobody is ever let in. */
	if (l->mac_fd >= 0 && !bind(l->mac_fd, (const struct sockaddr *)&a, len) &&
		!listen(l->mac_fd, ASKERS_MAX))
		return 0;
	lock_close(&l->mac_fd);
	return -1;
}

/* When a process began, on the wall clock; 0: it is gone. */
static int64_t lock_began_ns(pid_t pid)
{
	unsigned long long ticks = 0;
	char file[32], line[1024];
	struct timespec up;
	const char *p;
	FILE *f;

	snprintf(file, sizeof(file), "/proc/%d/stat", (int)pid);
	f = fopen(file, "re");
	/* The name, in brackets, may hold anything; the 20th field after it is what we want. */
	p = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	for (int i = 0; p && i < 20; i++)
		p = strchr(p + 1, ' ');
	if (p)
		ticks = strtoull(p, NULL, 10);
	if (f)
		fclose(f);
	clock_gettime(CLOCK_BOOTTIME, &up);
	return ticks ? clock_wall_ns() - up.tv_sec * NS_PER_S +
			       (int64_t)ticks * (NS_PER_S / sysconf(_SC_CLK_TCK))
		     : 0;
}

/* "alice, pid 4711, since 2026-11-30T13:15:05Z" of the process that has the socket; "" when the
 * kernel does not tell. */
static void lock_mac_holder(const char *mac, char *out, size_t size)
{
	struct sockaddr_un a;
	socklen_t len = lock_mac_address(&a, mac), n = sizeof(struct ucred);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct passwd *pw;
	struct ucred who;
	char since[32];
	int64_t began;

	out[0] = '\0';
	if (fd < 0)
		return;
	if (!connect(fd, (const struct sockaddr *)&a, len) &&
		!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n)) {
		pw = getpwuid(who.uid);
		began = lock_began_ns(who.pid);
		clock_iso(began, since, sizeof(since));
		snprintf(out, size, "%s, pid %d%s%s", pw ? pw->pw_name : "?", (int)who.pid,
			began ? ", since " : "", began ? since : "");
	}
	close(fd);
}

/* Whoever has just taken the lock writes its name in the next moment. */
static void lock_read_holder(int fd, char *out, size_t size)
{
	for (int i = 0; i < NAME_TRIES; i++) {
		usleep(NAME_GAP_US);
		lock_read(fd, out, size);
		if (*out)
			break;
	}
}

int lock_acquire(struct lock *l, const char *state, const char *machine, const char *mac,
	const char *holder, struct err *e)
{
	char *dir = mem_printf("%s/locks", state);
	char *file = mem_printf("%s/%s.lock", dir, machine);
	size_t len = strlen(holder);
	int rc = path_mkdirs(dir, e), fd = -1;
	char who[128];

	if (rc)
		goto out;
	fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0) {
		rc = err_set(
			e, ERR_LAB, "E_STATE", "cannot open lock %s: %s", file, strerror(errno));
		goto out;
	}
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		lock_read_holder(fd, l->former, sizeof(l->former));
		rc = err_set(e, ERR_BUSY, "E_BUSY", "%s is in use by %s", machine,
			l->former[0] ? l->former : "another controller");
		goto out;
	}
	if (mac && lock_mac(l, mac)) {
		lock_mac_holder(mac, who, sizeof(who));
		rc = err_set(e, ERR_BUSY, "E_BUSY",
			"%s (%s) is in use by another run on this host%s%s%s, under another name "
			"or from another state folder",
			machine, mac, *who ? " (" : "", who, *who ? ")" : "");
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

/* A line of /proc/locks is "1: FLOCK  ADVISORY  WRITE 4711 08:01:123456 0 EOF"; the device is not
 * always that of stat(2), so only the inode counts. */
static bool lock_is_held(ino_t ino)
{
	FILE *f = fopen("/proc/locks", "re");
	unsigned long long held;
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s FLOCK %*s %*s %*s %*[^:]:%*[^:]:%llu", &held) == 1 &&
			held == ino;
	if (f)
		fclose(f);
	return found;
}

bool lock_look(const char *state, const char *machine, char *out, size_t size)
{
	char *file = mem_printf("%s/locks/%s.lock", state, machine);
	struct stat st;

	lock_holder(state, machine, out, size);
	st.st_ino = 0;
	if (*out && stat(file, &st))
		*out = '\0';
	free(file);
	return *out && lock_is_held(st.st_ino);
}
