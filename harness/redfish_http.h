/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests to one Redfish service, one at a time, over TLS; libcurl on the event loop.
 *
 * The certificate is always verified: against ca_file, or the system's authorities, or by the pin
 * of its public key, which alone is enough.  No redirect is followed and no proxy is used.
 */
#ifndef HARNESS_REDFISH_HTTP_H
#define HARNESS_REDFISH_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "harness/base/err.h"

enum { REDFISH_BODY_MAX = 1 << 20 };

struct redfish_http;

struct redfish_service {
	const char *url;	   /* https://host[:port], without a trailing '/' */
	const char *ca_file, *pin; /* NULL or "": none */
};

struct redfish_request {
	const char *method, *path;
	const char *body;	     /* JSON, or NULL */
	const char *if_match;	     /* or NULL */
	const char *token;	     /* of a session, or NULL */
	const char *user, *password; /* basic authentication, or NULL */
};

/* Headers are "" when they are missing, retry_after_s is -1. */
struct redfish_answer {
	int status;
	const char *body;
	size_t len;
	char etag[128], location[512], token[256];
	int retry_after_s;
};

/* e: no whole answer came; class lab, E_TIMEOUT, E_TLS or E_BMC.  Borrows both. */
typedef void redfish_http_fn(void *arg, const struct redfish_answer *a, const struct err *e);

/* Copies what the service names. */
struct redfish_http *redfish_http_new(
	uv_loop_t *loop, const struct redfish_service *s, struct err *e) must_check;

/* Copies the request; fn is called once, from the loop.  A second one before that is a bug. */
void redfish_http_run(struct redfish_http *h, const struct redfish_request *r, int deadline_ms,
	redfish_http_fn *fn, void *arg);

/* fn is not called any more. */
void redfish_http_cancel(struct redfish_http *h);

/* Cancels; the loop must run on. */
void redfish_http_free(struct redfish_http *h);

#endif
