/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/redfish_http.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/base/buf.h"
#include "harness/base/clock.h"
#include "harness/base/mem.h"
#include "harness/base/str.h"

/* With TLS, and while hundreds of others do the same. */
enum { CONNECT_MS = 20000, RETRY_AFTER_MAX_S = 3600 };

struct redfish_http {
	CURLM *multi;
	CURL *easy;
	uv_loop_t *loop;
	uv_timer_t timer; /* libcurl's */
	char *url, *ca_file, *pin;
	bool freed;
	int handles; /* of libuv that are not closed yet */
	/* The request that runs; fn NULL: none. */
	redfish_http_fn *fn;
	void *arg;
	char *what; /* "GET /redfish/v1/" */
	int deadline_ms;
	struct curl_slist *headers;
	struct redfish_answer answer;
	struct buf body;
	char reason[CURL_ERROR_SIZE];
};

/* A socket of libcurl's. */
struct http_watch {
	uv_poll_t poll;
	struct redfish_http *http;
	curl_socket_t fd;
};

static void http_let_go(struct redfish_http *h)
{
	if (--h->handles)
		return;
	free(h->url);
	free(h->ca_file);
	free(h->pin);
	free(h);
}

static void http_on_timer_closed(uv_handle_t *t)
{
	http_let_go(t->data);
}

static void http_on_watch_closed(uv_handle_t *p)
{
	struct http_watch *w = p->data;

	http_let_go(w->http);
	free(w);
}

static size_t http_on_body(char *p, size_t size, size_t n, void *arg)
{
	struct redfish_http *h = arg;

	return buf_add(&h->body, p, size * n) ? 0 : size * n;
}

static bool http_header(const char *line, const char *name, char *out, size_t size)
{
	size_t n = strlen(name);

	if (strncasecmp(line, name, n) != 0 || line[n] != ':')
		return false;
	line += n + 1;
	line += strspn(line, " \t");
	snprintf(out, size, "%.*s", (int)strcspn(line, "\r\n"), line);
	return true;
}

static size_t http_on_header(char *p, size_t size, size_t n, void *arg)
{
	struct redfish_http *h = arg;
	struct redfish_answer *a = &h->answer;
	char *line = mem_printf("%.*s", (int)(size * n), p), after[16];
	int64_t s;

	if (!http_header(line, "ETag", a->etag, sizeof(a->etag)) &&
		!http_header(line, "Location", a->location, sizeof(a->location)) &&
		!http_header(line, "X-Auth-Token", a->token, sizeof(a->token)) &&
		http_header(line, "Retry-After", after, sizeof(after)) &&
		!str_int(after, 0, RETRY_AFTER_MAX_S, &s))
		a->retry_after_s = (int)s;
	if (!strncmp(line, "HTTP/", 5)) /* a 100 came before it */
		*a = (struct redfish_answer){.retry_after_s = -1};
	explicit_bzero(line, strlen(line));
	free(line);
	return size * n;
}

static void http_forget(struct redfish_http *h)
{
	curl_multi_remove_handle(h->multi, h->easy);
	curl_slist_free_all(h->headers);
	h->headers = NULL;
	free(h->what);
	h->what = NULL;
	h->fn = NULL;
}

static void http_explain(const struct redfish_http *h, CURLcode code, struct err *e)
{
	char took[16];

	clock_human((int64_t)h->deadline_ms * 1000000, took, sizeof(took));
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		err_set(e, ERR_LAB, "E_TIMEOUT", "BMC %s did not answer \"%s\" within %s", h->url,
			h->what, took);
		break;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
		err_set(e, ERR_LAB, "E_TLS",
			"the certificate of BMC %s is not the one to trust (%s): check ca_file or "
			"pin in [bmc]",
			h->url, h->reason[0] ? h->reason : curl_easy_strerror(code));
		break;
	case CURLE_WRITE_ERROR:
		err_set(e, ERR_LAB, "E_BMC", "BMC %s: the answer to \"%s\" is longer than %d bytes",
			h->url, h->what, REDFISH_BODY_MAX);
		break;
	default:
		err_set(e, ERR_LAB, "E_BMC", "BMC %s: \"%s\" failed: %s", h->url, h->what,
			h->reason[0] ? h->reason : curl_easy_strerror(code));
	}
}

static void http_finish(struct redfish_http *h, CURLcode code)
{
	redfish_http_fn *fn = h->fn;
	struct redfish_answer a = h->answer;
	struct buf body = h->body;
	struct err e = ERR_INIT;
	long status = 0;

	curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	if (code)
		http_explain(h, code, &e);
	a.status = (int)status;
	a.body = body.data;
	a.len = body.len;
	buf_init(&h->body, REDFISH_BODY_MAX);
	http_forget(h);
	fn(h->arg, &a, &e); /* may start the next request, or free h */
	explicit_bzero(&a, sizeof(a));
	buf_release(&body);
}

static void http_look(struct redfish_http *h)
{
	CURLMsg *m;
	int left;

	while (!h->freed && h->fn && (m = curl_multi_info_read(h->multi, &left)))
		if (m->msg == CURLMSG_DONE)
			http_finish(h, m->data.result);
}

/* The object must live through libcurl's callbacks, and through ours. */
static void http_act(struct redfish_http *h, curl_socket_t fd, int events)
{
	int running;

	if (h->freed)
		return;
	h->handles++;
	curl_multi_socket_action(h->multi, fd, events, &running);
	http_look(h);
	http_let_go(h);
}

static void http_on_poll(uv_poll_t *p, int status, int events)
{
	struct http_watch *w = p->data;
	int flags = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
		    (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);

	http_act(w->http, w->fd, status < 0 ? CURL_CSELECT_ERR : flags);
}

static void http_on_timer(uv_timer_t *t)
{
	http_act(t->data, CURL_SOCKET_TIMEOUT, 0);
}

static int http_on_timeout(CURLM *m, long ms, void *arg)
{
	struct redfish_http *h = arg;

	(void)m;
	if (ms < 0) {
		uv_timer_stop(&h->timer);
		return 0;
	}
	/* The loop's clock stands while we work.  A timer that came early would be the last one:
	 * libcurl does not ask again for a time that it has asked for. */
	uv_update_time(h->loop);
	uv_timer_start(&h->timer, http_on_timer, (uint64_t)ms, 0);
	return 0;
}

static int http_on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *mine)
{
	struct redfish_http *h = arg;
	struct http_watch *w = mine;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (w) {
			curl_multi_assign(h->multi, fd, NULL);
			uv_close((uv_handle_t *)&w->poll, http_on_watch_closed);
		}
		return 0;
	}
	if (!w) {
		w = mem_alloc(sizeof(*w));
		w->http = h;
		w->fd = fd;
		w->poll.data = w;
		if (uv_poll_init_socket(h->loop, &w->poll, fd)) {
			free(w);
			return -1;
		}
		h->handles++;
		curl_multi_assign(h->multi, fd, w);
	}
	uv_poll_start(&w->poll,
		(what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0),
		http_on_poll);
	return 0;
}

struct redfish_http *redfish_http_new(
	uv_loop_t *loop, const struct redfish_service *s, struct err *e)
{
	struct redfish_http *h = mem_alloc(sizeof(*h));

	curl_global_init(CURL_GLOBAL_DEFAULT);
	h->multi = curl_multi_init();
	h->easy = curl_easy_init();
	if (!h->multi || !h->easy) {
		curl_easy_cleanup(h->easy);
		curl_multi_cleanup(h->multi);
		curl_global_cleanup();
		free(h);
		err_set(e, ERR_BUG, NULL, "libcurl cannot be used");
		return NULL;
	}
	h->loop = loop;
	h->url = mem_strdup(s->url);
	h->ca_file = mem_strdup(s->ca_file ? s->ca_file : "");
	h->pin = mem_strdup(s->pin ? s->pin : "");
	buf_init(&h->body, REDFISH_BODY_MAX);
	uv_timer_init(loop, &h->timer);
	h->timer.data = h;
	h->handles = 1;
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, http_on_socket);
	curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, http_on_timeout);
	curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
	return h;
}

static void http_add_header(struct redfish_http *h, const char *name, const char *value)
{
	char *line = mem_printf("%s: %s", name, value);

	h->headers = curl_slist_append(h->headers, line);
	explicit_bzero(line, strlen(line));
	free(line);
}

static void http_set_trust(struct redfish_http *h)
{
	bool pin_alone = h->pin[0] && !h->ca_file[0];

	/* Who proves to have the pinned key needs no authority's word. */
	curl_easy_setopt(h->easy, CURLOPT_SSL_VERIFYPEER, pin_alone ? 0L : 1L);
	curl_easy_setopt(h->easy, CURLOPT_SSL_VERIFYHOST, pin_alone ? 0L : 2L);
	if (h->pin[0])
		curl_easy_setopt(h->easy, CURLOPT_PINNEDPUBLICKEY, h->pin);
	if (h->ca_file[0]) {
		curl_easy_setopt(h->easy, CURLOPT_CAINFO, h->ca_file);
		curl_easy_setopt(h->easy, CURLOPT_CAPATH, NULL); /* the system's */
	}
}

void redfish_http_run(struct redfish_http *h, const struct redfish_request *r, int deadline_ms,
	redfish_http_fn *fn, void *arg)
{
	CURL *c = h->easy;
	char *url = mem_printf("%s%s", h->url, r->path);

	assert(!h->fn && !h->freed);
	h->fn = fn;
	h->arg = arg;
	h->what = mem_printf("%s %s", r->method, r->path);
	h->deadline_ms = deadline_ms;
	h->answer = (struct redfish_answer){.retry_after_s = -1};
	h->reason[0] = '\0';
	buf_clear(&h->body);
	curl_easy_reset(c); /* keeps the connection */
	http_set_trust(h);
	http_add_header(h, "Accept", "application/json");
	http_add_header(h, "OData-Version", "4.0");
	if (r->body)
		http_add_header(h, "Content-Type", "application/json");
	if (r->if_match)
		http_add_header(h, "If-Match", r->if_match);
	if (r->token)
		http_add_header(h, "X-Auth-Token", r->token);
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "https");
	curl_easy_setopt(c, CURLOPT_PROXY, "");
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, r->method);
	if (r->body)
		curl_easy_setopt(c, CURLOPT_COPYPOSTFIELDS, r->body);
	if (r->user) {
		curl_easy_setopt(c, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		curl_easy_setopt(c, CURLOPT_USERNAME, r->user);
		curl_easy_setopt(c, CURLOPT_PASSWORD, r->password);
	}
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, h->headers);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, http_on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, h);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, http_on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, h);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, h->reason);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)deadline_ms);
	curl_multi_add_handle(h->multi, c);
	free(url);
}

void redfish_http_cancel(struct redfish_http *h)
{
	if (!h->fn)
		return;
	http_forget(h);
	buf_clear(&h->body);
}

void redfish_http_free(struct redfish_http *h)
{
	redfish_http_cancel(h);
	h->freed = true;
	curl_easy_cleanup(h->easy);
	curl_multi_cleanup(h->multi);
	curl_global_cleanup();
	buf_release(&h->body);
	uv_close((uv_handle_t *)&h->timer, http_on_timer_closed);
}
