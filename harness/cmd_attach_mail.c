/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/cmd_attach.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/log.h"
#include "harness/base/path.h"
#include "harness/base/str.h"

enum { SEND_MS = 1200000, PASSWORD_MAX = 1024 };

static int cmd_attach_password(
	struct cmd_attach_mail *m, enum secret_kind kind, const char *from, struct err *e)
{
	if (m->password_kind != SECRET_NONE)
		return err_set(e, ERR_USAGE, NULL,
			"only one of --password-file, --password-env and --password-command can "
			"be the password's source");
	m->password_kind = kind;
	m->password_from = from;
	return 0;
}

int cmd_attach_mail_option(struct cmd_attach_mail *m, int opt, struct err *e)
{
	switch (opt) {
	case CMD_OPT_REPLY:
		m->reply = optarg;
		return 0;
	case CMD_OPT_ANSWER:
		m->file = optarg;
		break;
	case CMD_OPT_MAIL:
		if (str_int(optarg, 1, INT32_MAX, &m->nth))
			return err_set(e, ERR_USAGE, NULL,
				"--mail takes the number of a mail in the file, from 1, not "
				"\"%.40s\"",
				optarg);
		break;
	case CMD_OPT_FROM:
		m->from = optarg;
		break;
	case CMD_OPT_EXCEPT:
		if (m->n_except == CMD_ATTACH_EXCEPT_MAX)
			return err_set(e, ERR_USAGE, NULL, "--except: more than %d addresses",
				CMD_ATTACH_EXCEPT_MAX);
		m->except[m->n_except++] = optarg;
		break;
	case CMD_OPT_SEND:
		m->send = true;
		break;
	case CMD_OPT_SMTP:
		m->smtp = optarg;
		break;
	case CMD_OPT_USER:
		m->user = optarg;
		break;
	case CMD_OPT_PASSWORD_FILE:
		m->any = true;
		return cmd_attach_password(m, SECRET_FILE, optarg, e);
	case CMD_OPT_PASSWORD_ENV:
		m->any = true;
		return cmd_attach_password(m, SECRET_ENV, optarg, e);
	case CMD_OPT_PASSWORD_COMMAND:
		m->any = true;
		return cmd_attach_password(m, SECRET_COMMAND, optarg, e);
	case CMD_OPT_CA:
		m->ca_file = optarg;
		break;
	case CMD_OPT_PLAIN:
		m->plain = true;
		break;
	case CMD_OPT_YES:
		m->yes = true;
		break;
	case CMD_OPT_AGAIN:
		m->again = true;
		break;
	default:
		return 1;
	}
	m->any = true;
	return 0;
}

static struct smtp_server cmd_attach_server(const struct cmd_attach_mail *m)
{
	return (struct smtp_server){.url = m->smtp,
		.ca_file = m->ca_file,
		.user = m->user,
		.plain = m->plain,
		.deadline_ms = SEND_MS};
}

int cmd_attach_same(const char *file, const char *mail, struct err *e)
{
	struct stat a, b;

	if (!file || !mail || stat(file, &a) || stat(mail, &b) || a.st_dev != b.st_dev ||
		a.st_ino != b.st_ino || !S_ISREG(a.st_mode))
		return 0;
	return err_set(e, ERR_USAGE, NULL,
		"%s is the mail that is answered, and would be lost: write the answer to another "
		"file",
		file);
}

int cmd_attach_mail_check(const struct cmd_attach_mail *m, struct err *e)
{
	struct smtp_server server = cmd_attach_server(m);
	const char *wrong = NULL;

	if (!m->reply)
		wrong = m->any ? "--reply MAIL is missing: what is the answer to?" : NULL;
	else if (!m->from)
		wrong = "--reply needs --from ADDRESS";
	else if (!m->send && (m->smtp || m->user || m->password_kind || m->ca_file || m->plain ||
				     m->yes || m->again))
		wrong = "that is about sending, and --send is missing";
	else if (m->send && !m->smtp)
		wrong = "--send needs --smtp URL";
	else if (!m->user != !m->password_kind)
		wrong = "--user and a password's source (--password-file, --password-env or "
			"--password-command) go together";
	else if (m->send && !m->yes && !(isatty(STDIN_FILENO) && isatty(STDERR_FILENO)))
		wrong = "--send asks before it sends, and here is no terminal to ask on: --yes "
			"sends without asking";
	if (wrong)
		return err_set(e, ERR_USAGE, NULL, "%s", wrong);
	if (cmd_attach_same(m->file, m->reply, e))
		return -(int)e->cls;
	if (m->file && path_check_write(m->file, e))
		return -(int)e->cls;
	return m->send ? smtp_check(&server, e) : 0;
}

/* On standard error, as all that is no result. */
static void cmd_attach_show(const struct answer_mail *m, const char *server)
{
	struct buf from;

	buf_init(&from, 4096);
	address_write(&from, &m->reply.from.v[0]);
	fprintf(stderr,
		"  from     %s\n  to       %s\n  subject  %s\n  size     %zu KiB\n  by       %s\n",
		from.data, m->recipients.data, m->reply.subject, (m->reply.mail.len + 1023) / 1024,
		server);
	buf_release(&from);
}

static int cmd_attach_ask(const struct answer_mail *m, const char *server, struct err *e)
{
	char line[16] = "";

	cmd_attach_show(m, server);
	fputs("Send it? [y/N] ", stderr);
	fflush(stderr);
	if (fgets(line, sizeof(line), stdin) && (!strcmp(line, "y\n") || !strcmp(line, "yes\n")))
		return 0;
	return err_set(e, ERR_INTERRUPTED, NULL, "nothing was sent");
}

static int cmd_attach_send(const struct cmd_attach_mail *m, struct store *s, const struct answer *a,
	const struct answer_mail *mail, bool quiet, struct err *e)
{
	struct smtp_server server = cmd_attach_server(m);
	struct secret password = {NULL};
	char words[512];
	int rc = m->again ? 0 : answer_mail_check(s, a, mail, e);

	if (!rc && m->password_kind)
		rc = secret_load(&password, m->password_kind, m->password_from, PASSWORD_MAX, e);
	if (!rc && !m->yes)
		rc = cmd_attach_ask(mail, m->smtp, e);
	server.password = password.value;
	if (!rc)
		rc = answer_mail_send(s, a, mail, &server, m->again, words, sizeof(words), e);
	if (!rc && !quiet)
		fprintf(stderr, "sent to %s (%s)\n", mail->recipients.data, words);
	secret_release(&password);
	return rc;
}

int cmd_attach_mail(const struct cmd_attach_mail *m, struct store *s, const struct answer *a,
	bool quiet, struct err *e)
{
	struct answer_mail_opts o = {.from = m->from,
		.nth = (size_t)m->nth,
		.except = m->except,
		.n_except = m->n_except};
	struct answer_mail mail;
	int rc = answer_mail_make(&mail, a, m->reply, &o, e);

	for (size_t i = 0; !rc && i < mail.reply.to.n_bad; i++)
		log_line(LOG_WARN, NULL, "%s: left out, since it is no mail address: %s", m->reply,
			mail.reply.to.bad[i]);
	if (!rc && m->file)
		rc = path_write(m->file, mail.reply.mail.data, mail.reply.mail.len, 0644, e);
	else if (!rc && !m->send)
		fwrite(mail.reply.mail.data, 1, mail.reply.mail.len, stdout);
	if (!rc && m->send)
		rc = cmd_attach_send(m, s, a, &mail, quiet, e);
	answer_mail_release(&mail);
	return rc;
}
