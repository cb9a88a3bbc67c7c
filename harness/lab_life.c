/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The beginning and the end of a lab, as seen from outside its supervisor. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/clock.h"
#include "harness/base/log.h"
#include "harness/base/mem.h"
#include "harness/base/path.h"
#include "harness/base/stop.h"
#include "harness/closing.h"
#include "harness/lab.h"
#include "harness/lab_wire.h"

/* A supervisor that is told to end gives its own children 1 s before it kills them. */
enum { LAB_UP_MS = 10000, LAB_KILL_MS = 2000 };
enum { LAB_POLL_MS = 5, LAB_AGAIN_MS = 100 };

static int64_t lab_now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

/* Is the supervisor gone, with its children?  Then the lab's lock is free, and we have it. */
static bool lab_gone_by(int lock, int64_t until)
{
	while (flock(lock, LOCK_EX | LOCK_NB)) {
		if (lab_now_ms() >= until)
			return false;
		usleep(LAB_POLL_MS * 1000);
	}
	return true;
}

/* A killed one has left its sockets and its secrets. */
static void lab_sweep_after(const char *dir)
{
	int dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), lock = -1;

	if (dirfd >= 0)
		lock = openat(dirfd, LAB_LOCK, O_RDWR | O_CLOEXEC);
	if (lock >= 0 && lab_gone_by(lock, lab_now_ms() + LAB_KILL_MS))
		lab_sweep(dirfd);
	if (lock >= 0)
		close(lock);
	if (dirfd >= 0)
		close(dirfd);
}

/* End a supervisor that is our child: first with SIGTERM.  True when it had to be killed. */
static bool lab_end_child(pid_t pid, int ms)
{
	int64_t until = lab_now_ms() + ms;

	kill(pid, SIGTERM);
	while (!waitpid(pid, NULL, WNOHANG)) {
		if (lab_now_ms() >= until) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return true;
		}
		usleep(LAB_POLL_MS * 1000);
	}
	return false;
}

/* The child says "ready", "busy" (somebody else's lab is coming up), or "error CLASS CODE text". */
static int lab_read_word(int fd, int64_t until, char *line, size_t size)
{
	size_t len = 0;

	while (len < size - 1) {
		int64_t left = until - lab_now_ms();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (left <= 0 || stop_asked())
			return -1;
		if (poll(&p, 1, left < STOP_LOOK_MS ? (int)left : STOP_LOOK_MS) <= 0)
			continue;
		n = read(fd, line + len, size - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		if (memchr(line, '\n', len))
			break;
	}
	line[len] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return len ? 0 : -1;
}

/* dup2() leaves close-on-exec on when both are the same. */
static void lab_dup(int from, int to)
{
	if (from < 0 || (from == to ? fcntl(to, F_SETFD, 0) : dup2(from, to)) < 0)
		_exit(127);
}

/* Our child, also when it stays: it is waited for when it has to end, and else by whoever inherits
 * it. */
static pid_t lab_spawn(const char *state, const struct target *t, bool stay, bool trace, int word)
{
	char *self = path_self();
	const char *argv[16];
	pid_t parent = getpid(), pid;
	size_t n = 0;

	argv[n++] = self;
	argv[n++] = "lab";
	argv[n++] = "serve";
	argv[n++] = "--state";
	argv[n++] = state;
	argv[n++] = "--file";
	argv[n++] = t->file;
	if (stay)
		argv[n++] = "--stay";
	if (trace)
		argv[n++] = "--trace";
	argv[n] = NULL;
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		/* A session of its own: Ctrl-C on our terminal is not for it. */
		setsid();
		stop_let_all();
		if (!stay && (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent))
			_exit(127);
		lab_dup(null, STDIN_FILENO);
		lab_dup(word, STDOUT_FILENO);
		lab_dup(null, STDERR_FILENO);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	free(self);
	return pid;
}

/* Start one and hear what it says.  0: it is up, or (*pid 0) another one has the folder. */
static int lab_try(const char *state, const struct target *t, bool stay, bool trace,
	const char *dir, int64_t until, pid_t *pid, struct err *e)
{
	int word[2] = {-1, -1}, rc = 0, cls = 0, used = 0;
	char line[1024] = "", code[24] = "";

	if (pipe2(word, O_CLOEXEC))
		return err_set(e, ERR_LAB, "E_LAB", "%s: cannot start the lab: %s", t->name,
			strerror(errno));
	*pid = lab_spawn(state, t, stay, trace, word[1]);
	if (*pid < 0)
		rc = err_set(e, ERR_LAB, "E_LAB", "%s: cannot start the lab: %s", t->name,
			strerror(errno));
	close(word[1]);
	if (rc)
		goto out;
	if (lab_read_word(word[0], until, line, sizeof(line)))
		rc = err_set(e, ERR_LAB, "E_LAB",
			"%s: the virtual lab did not come up; see %s/*.log", t->name, dir);
	else if (sscanf(line, "error %d %23s %n", &cls, code, &used) == 2)
		rc = err_set(e, (enum err_class)cls, code, "%s: %s", t->name, line + used);
	else if (!strcmp(line, "ready stale"))
		log_line(LOG_WARN, t->name,
			"the last lab's supervisor was killed; what it left is cleaned up");
	if (!rc && strncmp(line, "ready", 5)) {
		lab_end_child(*pid, LAB_DOWN_MS / 2);
		*pid = 0;
	}
out:
	close(word[0]);
	return rc;
}

int lab_up(const char *state, const struct target *t, bool stay, bool trace, struct lab_info *out,
	struct err *e)
{
	int64_t until = lab_now_ms() + LAB_UP_MS;
	pid_t pid = 0;
	int rc;

	for (;;) {
		rc = lab_status(state, t->name, out, e);
		if (rc || out->running)
			break;
		if (stop_asked()) {
			rc = stop_err("starting the virtual lab", e);
			break;
		}
		if (lab_now_ms() >= until) {
			rc = err_set(e, ERR_LAB, "E_LAB",
				"%s: the virtual lab does not answer; see %s/*.log", t->name,
				out->dir);
			break;
		}
		if (!pid) {
			rc = lab_try(state, t, stay, trace, out->dir, until, &pid, e);
			if (rc)
				break;
			if (pid)
				continue;
		}
		/* Another one is about to answer, or to end. */
		usleep(LAB_AGAIN_MS * 1000);
	}
	if (rc && stop_asked())
		rc = stop_err("starting the virtual lab", e);
	out->ours = !rc && pid > 0 && pid == out->pid;
	if (pid > 0 && !out->ours &&
		lab_end_child(pid, stop_asked() ? CLOSING_LAB_MS : LAB_DOWN_MS / 2))
		lab_sweep_after(out->dir);
	return rc;
}

/* Who has the lock; 0 when it does not say. */
static pid_t lab_lock_pid(int lock)
{
	char text[24];
	ssize_t n = pread(lock, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return (pid_t)strtol(text, NULL, 10);
}

/* Tell a supervisor that is not our child; one that comes up is told when it listens. */
static int lab_tell_down(const char *dir, int lock, int64_t until, struct err *e)
{
	bool told = false;
	int rc = 0;

	while (!rc && !told && lab_now_ms() < until) {
		struct buf b;

		buf_init(&b, LAB_REPLY_MAX);
		rc = lab_call(dir, "down", LAB_CALL_MS, &b, &told, e);
		buf_release(&b);
		if (!rc && !told && lab_gone_by(lock, lab_now_ms() + LAB_AGAIN_MS))
			break;
	}
	return rc;
}

int lab_down(const char *state, const char *machine, bool force, int ms, struct err *e)
{
	char *dir = lab_dir(state, machine), *file = mem_printf("%s/" LAB_LOCK, dir);
	int64_t until = lab_now_ms() + ms;
	int lock = open(file, O_RDWR | O_CLOEXEC), rc = 0;
	bool killed = false;
	pid_t pid;

	if (lock < 0 || lab_gone_by(lock, 0))
		goto out;
	pid = lab_lock_pid(lock);
	if (pid > 0 && !waitpid(pid, NULL, WNOHANG)) {
		killed = lab_end_child(pid, ms / 2);
	} else {
		rc = lab_tell_down(dir, lock, until, e);
		if (!rc && !lab_gone_by(lock, until))
			rc = err_set(e, ERR_LAB, "E_LAB",
				"%s: the lab (pid %d) does not end; harness lab down --force "
				"kills it",
				machine, (int)pid);
		if (rc && force && pid > 0 && !lab_gone_by(lock, 0)) {
			kill(pid, SIGKILL);
			killed = true;
			rc = 0;
		}
	}
	if (!rc && !lab_gone_by(lock, lab_now_ms() + LAB_KILL_MS))
		rc = err_set(e, ERR_LAB, "E_LAB", "%s: the lab (pid %d) does not end", machine,
			(int)pid);
	if (killed)
		log_line(LOG_WARN, machine, "the lab (pid %d) did not end when told to: killed",
			(int)pid);
out:
	if (lock >= 0)
		close(lock);
	if (killed)
		lab_sweep_after(dir);
	free(file);
	free(dir);
	return rc;
}
