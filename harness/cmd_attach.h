/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `harness attach` that are about mails. */
#ifndef HARNESS_CMD_ATTACH_H
#define HARNESS_CMD_ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/answer.h"
#include "harness/base/secret.h"
#include "harness/cmd.h"

enum { CMD_ATTACH_EXCEPT_MAX = 100 };

struct cmd_attach_mail {
	const char *reply; /* the file of the original; NULL: no answer */
	int64_t nth;	   /* mail of that file, from 1; 0: the first */
	const char *file;  /* to write to; NULL: standard output, unless it is sent */
	const char *from, *smtp, *user, *ca_file;
	const char *except[CMD_ATTACH_EXCEPT_MAX];
	size_t n_except;
	enum secret_kind password_kind;
	const char *password_from;
	bool send, yes, again, plain;
	bool any; /* one of these was given */
};

/* The first two are each command's own to name. */
enum {
	CMD_OPT_REPLY = 1300,
	CMD_OPT_ANSWER,
	CMD_OPT_MAIL,
	CMD_OPT_FROM,
	CMD_OPT_EXCEPT,
	CMD_OPT_SEND,
	CMD_OPT_SMTP,
	CMD_OPT_USER,
	CMD_OPT_PASSWORD_FILE,
	CMD_OPT_PASSWORD_ENV,
	CMD_OPT_PASSWORD_COMMAND,
	CMD_OPT_CA,
	CMD_OPT_PLAIN,
	CMD_OPT_YES,
	CMD_OPT_AGAIN
};

#define CMD_ATTACH_MAIL_LONG \
	{"mail", required_argument, NULL, CMD_OPT_MAIL}, \
		{"from", required_argument, NULL, CMD_OPT_FROM}, \
		{"except", required_argument, NULL, CMD_OPT_EXCEPT}, \
		{"send", no_argument, NULL, CMD_OPT_SEND}, \
		{"smtp", required_argument, NULL, CMD_OPT_SMTP}, \
		{"user", required_argument, NULL, CMD_OPT_USER}, \
		{"password-file", required_argument, NULL, CMD_OPT_PASSWORD_FILE}, \
		{"password-env", required_argument, NULL, CMD_OPT_PASSWORD_ENV}, \
		{"password-command", required_argument, NULL, CMD_OPT_PASSWORD_COMMAND}, \
		{"ca", required_argument, NULL, CMD_OPT_CA}, \
		{"plain", no_argument, NULL, CMD_OPT_PLAIN}, \
		{"yes", no_argument, NULL, CMD_OPT_YES}, \
	{ \
		"again", no_argument, NULL, CMD_OPT_AGAIN \
	}

#define CMD_ATTACH_MAIL_USAGE \
	"  --mail N         answer the N-th mail of that file\n" \
	"  --from ADDRESS   who writes: \"Name <name@example.org>\"\n" \
	"  --except ADDRESS\n" \
	"                   who of the original's To and Cc does not get it; may be repeated\n" \
	"  --send           send it, with --smtp; asks first\n" \
	"  --smtp URL       smtp://HOST[:PORT] (STARTTLS) or smtps://HOST[:PORT]\n" \
	"  --ca FILE        certificates to trust instead of the system's (PEM)\n" \
	"  --plain          no TLS; only to a server on this host\n" \
	"  --user NAME      log in, with a password from one of\n" \
	"  --password-file FILE, --password-env NAME, --password-command COMMAND\n" \
	"  --yes            send without asking\n" \
	"  --again          send also what was sent before, or may have been\n"

/* Take one option that getopt_long() returned: 1 when it is none of these, 0, or negative with *e
 * filled. */
int cmd_attach_mail_option(struct cmd_attach_mail *m, int opt, struct err *e) must_check;

/* Fails with class usage when writing to `file` would overwrite `mail`; either may be NULL. */
int cmd_attach_same(const char *file, const char *mail, struct err *e) must_check;

/* When all options are taken: do they fit together, and is the server's address one? */
int cmd_attach_mail_check(const struct cmd_attach_mail *m, struct err *e) must_check;

/* Compose the answer, write it where it is wanted, ask, and send it. */
int cmd_attach_mail(const struct cmd_attach_mail *m, struct store *s, const struct answer *a,
	bool quiet, struct err *e) must_check;

#endif
