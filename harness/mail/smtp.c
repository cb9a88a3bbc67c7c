/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/mail/smtp.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/mem.h"
#include "harness/base/str.h"

enum {
	CONNECT_MS = 20000,
	ANSWER_S = 600 /* RFC 5321, 4.5.3.2.6 */,
	WORDS_MAX = 400,
	HOST_MAX = 256
};

struct smtp {
	const struct smtp_mail *mail;
	size_t at;	       /* next byte of the mail */
	bool cr;	       /* its LF still lacks the CR */
	bool leaving;	       /* what is said from now on is good-bye */
	bool all;	       /* libcurl has been given the end */
	char words[WORDS_MAX]; /* the server's last line */
	char asked[WORDS_MAX]; /* the last command, but for what logs in */
	char reason[CURL_ERROR_SIZE];
};

static int smtp_host(const struct smtp_server *s, char host[HOST_MAX], struct err *e)
{
	char *scheme = NULL, *name = NULL, *user = NULL, *path = NULL;
	CURLU *u = curl_url();
	const char *wrong = NULL;
	/* A password in it must not be told, wherever it stands. */
	bool secret = strchr(s->url, '@') != NULL;

	if (!u)
		return err_set(e, ERR_BUG, NULL, "libcurl cannot be used");
	if (!curl_url_set(u, CURLUPART_URL, s->url, CURLU_NON_SUPPORT_SCHEME))
		curl_url_get(u, CURLUPART_USER, &user, 0);
	if (user)
		wrong = "has a user in it: name the user apart from it, and never a password";
	else if (curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) ||
		 (strcmp(scheme, "smtp") != 0 && strcmp(scheme, "smtps") != 0) ||
		 curl_url_get(u, CURLUPART_HOST, &name, 0) || strlen(name) >= HOST_MAX)
		wrong = "is no address of a mail server: smtp://HOST[:PORT] or smtps://HOST[:PORT]";
	else if (!curl_url_get(u, CURLUPART_PATH, &path, 0) && strcmp(path, "/") != 0)
		wrong = "has a path: smtp://HOST[:PORT] is all that is needed";
	if (wrong)
		err_set(e, ERR_USAGE, "E_SMTP", "%s %s",
			secret ? "the mail server's address" : s->url, wrong);
	else
		snprintf(host, HOST_MAX, "%s", name);
	curl_free(scheme);
	curl_free(name);
	curl_free(user);
	curl_free(path);
	curl_url_cleanup(u);
	return wrong ? -ERR_USAGE : 0;
}

/* 127.0.0.0/8 in digits, ::1, and the name that libcurl never asks a name server about. */
static bool smtp_is_loopback(const char *host)
{
	unsigned a, b, c;
	int end = 0;

	if (!strcasecmp(host, "localhost") || !strcmp(host, "[::1]"))
		return true;
	return sscanf(host, "127.%3u.%3u.%3u%n", &a, &b, &c, &end) == 3 && !host[end];
}

int smtp_check(const struct smtp_server *s, struct err *e)
{
	char host[HOST_MAX];
	int rc = smtp_host(s, host, e);

	if (!rc && s->plain && !smtp_is_loopback(host))
		rc = err_set(e, ERR_USAGE, "E_SMTP",
			"mail goes without TLS to a server on this host only, and %s is another",
			host);
	return rc;
}

/* Hand out the mail with CRLF. */
static size_t smtp_read(char *to, size_t size, size_t n, void *arg)
{
	struct smtp *x = arg;
	size_t len = 0;

	while (len < size * n && x->at < x->mail->len) {
		char c = x->mail->data[x->at];

		if (c == '\n' && !x->cr) {
			to[len++] = '\r';
			x->cr = true;
			continue;
		}
		to[len++] = c;
		x->cr = false;
		x->at++;
	}
	if (!len)
		x->all = true;
	return len;
}

static void smtp_line(char out[WORDS_MAX], const char *p, size_t n)
{
	while (n && (p[n - 1] == '\n' || p[n - 1] == '\r'))
		n--;
	snprintf(out, WORDS_MAX, "%.*s", (int)(n < WORDS_MAX ? n : WORDS_MAX - 1), p);
	str_clean(out);
}

/* What is said by both sides, for the line that tells of a failure.  Of the login only its first
 * word is kept. */
static int smtp_talk(CURL *easy, curl_infotype type, char *p, size_t n, void *arg)
{
	static const char *const known[] = {"EHLO", "HELO", "STARTTLS", "MAIL", "RCPT", "DATA"};
	struct smtp *x = arg;
	bool login = !strncmp(x->words, "334", 3); /* answered by a name or a password */

	(void)easy;
	if (type == CURLINFO_HEADER_OUT && n >= 4 && !login && !memcmp(p, "QUIT", 4))
		x->leaving = true;
	if (x->leaving)
		return 0;
	if (type == CURLINFO_HEADER_IN) {
		smtp_line(x->words, p, n);
	} else if (type == CURLINFO_HEADER_OUT) {
		snprintf(x->asked, sizeof(x->asked), "AUTH");
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (!login && n >= strlen(known[i]) &&
				!memcmp(p, known[i], strlen(known[i])))
				smtp_line(x->asked, p, n);
		x->words[0] = '\0';
	}
	return 0;
}

static void smtp_set_tls(CURL *c, const struct smtp_server *s, bool loopback)
{
	long use = s->plain ? CURLUSESSL_NONE : loopback ? CURLUSESSL_TRY : CURLUSESSL_ALL;

	curl_easy_setopt(c, CURLOPT_USE_SSL, use);
	curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
	curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
	curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	if (s->ca_file) {
		curl_easy_setopt(c, CURLOPT_CAINFO, s->ca_file);
		curl_easy_setopt(c, CURLOPT_CAPATH, NULL); /* the system's */
	}
}

static struct curl_slist *smtp_set(CURL *c, struct smtp *x, const struct smtp_server *s)
{
	struct curl_slist *to = NULL;
	char *from = mem_printf("<%s>", x->mail->from);

	for (size_t i = 0; i < x->mail->n_to; i++)
		to = curl_slist_append(to, x->mail->to[i]);
	curl_easy_setopt(c, CURLOPT_URL, s->url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_MAIL_FROM, from);
	curl_easy_setopt(c, CURLOPT_MAIL_RCPT, to);
	curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(c, CURLOPT_READFUNCTION, smtp_read);
	curl_easy_setopt(c, CURLOPT_READDATA, x);
	curl_easy_setopt(c, CURLOPT_VERBOSE, 1L); /* to smtp_talk(), and nowhere else */
	curl_easy_setopt(c, CURLOPT_DEBUGFUNCTION, smtp_talk);
	curl_easy_setopt(c, CURLOPT_DEBUGDATA, x);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, x->reason);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(c, CURLOPT_SERVER_RESPONSE_TIMEOUT, (long)ANSWER_S);
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)s->deadline_ms);
	if (s->user) {
		curl_easy_setopt(c, CURLOPT_USERNAME, s->user);
		curl_easy_setopt(c, CURLOPT_PASSWORD, s->password);
	}
	free(from);
	return to;
}

/* A line of the server that says no: "550 5.1.1 no such user". */
static bool smtp_refuses(const char *words)
{
	return (words[0] == '4' || words[0] == '5') && words[1] >= '0' && words[1] <= '9';
}

static int smtp_failed(const struct smtp *x, const struct smtp_server *s, CURLcode code,
	enum smtp_fate fate, struct err *e)
{
	const char *why = x->reason[0] ? x->reason : curl_easy_strerror(code);

	if (fate == SMTP_UNKNOWN)
		return err_set(e, ERR_LAB, "E_SMTP",
			"%s: %s after the mail had been written, before the server said that it "
			"took it (%s): it may have been sent",
			s->url,
			code == CURLE_OPERATION_TIMEDOUT ? "there was no answer in time"
							 : "the connection was lost",
			why);
	if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
		return err_set(e, ERR_LAB, "E_SMTP",
			"%s: its certificate is not trusted (%s); a CA of your own is given by a "
			"file",
			s->url, why);
	if (code == CURLE_USE_SSL_FAILED)
		return err_set(e, ERR_LAB, "E_SMTP",
			"%s offers no STARTTLS, and mail goes without only to this host", s->url);
	if (!strncmp(x->asked, "RCPT TO:", 8) && smtp_refuses(x->words))
		return err_set(e, ERR_LAB, "E_SMTP", "%s refuses the recipient %s: %s", s->url,
			x->asked + 8, x->words);
	if (!strcmp(x->asked, "AUTH") && smtp_refuses(x->words))
		return err_set(e, ERR_LAB, "E_SMTP", "%s refuses the login of %s: %s", s->url,
			s->user, x->words);
	if (smtp_refuses(x->words))
		return err_set(e, ERR_LAB, "E_SMTP", "%s refuses the mail: %s (after %.40s)",
			s->url, x->words, x->asked);
	return err_set(e, ERR_LAB, "E_SMTP", "%s: %s", s->url, why);
}

int smtp_send(const struct smtp_server *s, const struct smtp_mail *m, enum smtp_fate *fate,
	char *words, size_t size, struct err *e)
{
	struct smtp x = {.mail = m};
	struct curl_slist *to = NULL;
	char host[HOST_MAX];
	CURLcode code;
	CURL *c;
	int rc;

	*fate = SMTP_NOT_SENT;
	words[0] = '\0';
	curl_global_init(CURL_GLOBAL_DEFAULT);
	c = curl_easy_init();
	rc = c ? smtp_check(s, e) : err_set(e, ERR_BUG, NULL, "libcurl cannot be used");
	if (!rc)
		rc = smtp_host(s, host, e);
	if (rc)
		goto out;
	to = smtp_set(c, &x, s);
	smtp_set_tls(c, s, smtp_is_loopback(host));
	code = curl_easy_perform(c);
	snprintf(words, size, "%s", x.words);
	if (!code) {
		*fate = SMTP_SENT;
	} else {
		/* Without its end the server throws a mail away; an answer to it settles it. */
		if (x.all && !smtp_refuses(x.words))
			*fate = SMTP_UNKNOWN;
		rc = smtp_failed(&x, s, code, *fate, e);
	}
out:
	curl_easy_cleanup(c);
	curl_slist_free_all(to);
	curl_global_cleanup();
	return rc;
}
