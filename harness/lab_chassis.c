/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/buf.h"
#include "harness/base/path.h"
#include "harness/lab_priv.h"
#include "harness/lab_wire.h"

/* An answer carries its asker's id, so that one that nobody waited for is skipped.  It is one line,
 * a word for each line of the answer, and shorter than PIPE_BUF.  Both FIFOs are opened for both
 * directions first, which never blocks: when the supervisor was killed, the answer is an end of
 * file. */
static const char lab_chassis_script[] =
	"#!/bin/sh\n"
	"# Run by ipmi_sim in this folder: one question to harness lab serve, and its answer.\n"
	"[ -p " LAB_ANSWER " ] && [ -p " LAB_QUESTION " ] || exit 1\n"
	"exec 3<>" LAB_ANSWER " <" LAB_ANSWER " 3<&- 4<>" LAB_QUESTION " || exit 1\n"
	"echo \"$$ $*\" >&4 || exit 1\n"
	"while read -r id text; do\n"
	"\t[ \"$id\" = \"$$\" ] || continue\n"
	"\tfor line in $text; do\n"
	"\t\techo \"$line\"\n"
	"\tdone\n"
	"\texit 0\n"
	"done\n"
	"exit 1\n";

static void lab_chassis_line(struct lab_chassis *c, char *line)
{
	char *question = strchr(line, ' ');
	struct buf text, reply;

	if (!question)
		return;
	*question++ = '\0';
	buf_init(&text, LAB_LINE_MAX);
	buf_init(&reply, 2 * LAB_LINE_MAX);
	lab_answer_chassis(c->lab, question, &text);
	for (char *p = text.data; *p; p++)
		if (*p == '\n')
			*p = ' ';
	buf_addf(&reply, "%.16s %s\n", line, text.data);
	/* All of it, or nothing when nobody has read for long: then the asker is gone. */
	if (write(c->answer, reply.data, reply.len) < 0) {
		/* Nobody to tell. */
	}
	buf_release(&text);
	buf_release(&reply);
}

static void lab_chassis_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *b)
{
	struct lab_chassis *c = h->data;

	(void)suggested;
	*b = uv_buf_init(c->chunk, sizeof(c->chunk));
}

static void lab_chassis_read(uv_stream_t *s, ssize_t n, const uv_buf_t *b)
{
	struct lab_chassis *c = s->data;

	for (ssize_t i = 0; i < n; i++) {
		if (b->base[i] != '\n') {
			if (c->n + 1 < sizeof(c->line))
				c->line[c->n++] = b->base[i];
			continue;
		}
		c->line[c->n] = '\0';
		c->n = 0;
		lab_chassis_line(c, c->line);
	}
}

/* Held open for both directions: no end ever finds the other one missing. */
static int lab_chassis_fifo(const char *name, int *fd, struct err *e)
{
	unlink(name);
	if (!mkfifo(name, 0600))
		*fd = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	return *fd >= 0 ? 0
			: err_set(e, ERR_LAB, "E_LAB", "cannot make FIFO %s: %s", name,
				  strerror(errno));
}

int lab_chassis_init(struct lab_chassis *c, uv_loop_t *loop, struct err *e)
{
	int question = -1;
	int rc = path_write("chassis", lab_chassis_script, sizeof(lab_chassis_script) - 1, 0700, e);

	c->answer = -1;
	if (!rc)
		rc = lab_chassis_fifo(LAB_ANSWER, &c->answer, e);
	if (!rc)
		rc = lab_chassis_fifo(LAB_QUESTION, &question, e);
	if (rc) {
		if (c->answer >= 0)
			close(c->answer);
		return rc;
	}
	c->open = true;
	uv_pipe_init(loop, &c->question, 0);
	c->question.data = c;
	rc = uv_pipe_open(&c->question, question);
	if (rc)
		close(question);
	else
		rc = uv_read_start(
			(uv_stream_t *)&c->question, lab_chassis_alloc, lab_chassis_read);
	return rc ? err_set(e, ERR_LAB, "E_LAB", "cannot read FIFO " LAB_QUESTION ": %s",
			    uv_strerror(rc))
		  : 0;
}

void lab_chassis_close(struct lab_chassis *c)
{
	if (!c->open)
		return;
	c->open = false;
	uv_close((uv_handle_t *)&c->question, NULL);
	close(c->answer);
}
