/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/lab.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/lab_wire.h"

static void lab_text(json_t *o, const char *key, char *to, size_t size)
{
	const char *s = json_string_value(json_object_get(o, key));

	snprintf(to, size, "%s", s ? s : "");
}

/* A file in the lab's folder. */
static int lab_file(const char *dir, const char *name, char *to, size_t size, struct err *e)
{
	int n = snprintf(to, size, "%s/%s", dir, name);

	return n >= 0 && (size_t)n < size
		       ? 0
		       : err_set(e, ERR_USAGE, "E_STATE",
				 "the path of the state folder is too long for a lab (%zu bytes): "
				 "give a shorter one with --state",
				 strlen(dir));
}

int lab_status(const char *state, const char *machine, struct lab_info *out, struct err *e)
{
	char *dir = lab_dir(state, machine), trace[32];
	json_t *o = NULL;
	struct buf b;
	int rc;

	memset(out, 0, sizeof(*out));
	buf_init(&b, LAB_REPLY_MAX);
	/* The longest name that may have to fit. */
	rc = lab_file(dir, "apic-2147483647.trace", out->dir, sizeof(out->dir), e);
	if (rc)
		goto out;
	snprintf(out->dir, sizeof(out->dir), "%s", dir);
	rc = lab_call(dir, "status", LAB_CALL_MS, &b, &out->running, e);
	if (rc || !out->running)
		goto out;
	/* It closed the socket because it is about to end. */
	out->running = b.len > 0;
	if (!b.len)
		goto out;
	o = json_loadb(b.data, b.len, 0, NULL);
	if (!o) {
		rc = err_set(e, ERR_LAB, "E_LAB",
			"%s: the virtual lab answers nonsense: is it of another version?", machine);
		goto out;
	}
	out->stay = json_is_true(json_object_get(o, "stay"));
	out->powered = json_is_true(json_object_get(o, "powered"));
	out->trace = json_is_true(json_object_get(o, "trace"));
	out->pid = (int)json_integer_value(json_object_get(o, "pid"));
	out->bmc_port = (int)json_integer_value(json_object_get(o, "bmc_port"));
	out->serial_port = (int)json_integer_value(json_object_get(o, "serial_port"));
	lab_text(o, "user", out->user, sizeof(out->user));
	lab_text(o, "qemu", out->qemu, sizeof(out->qemu));
	lab_text(o, "trace_file", trace, sizeof(trace));
	rc = lab_file(dir, LAB_PASSWORD, out->password_file, sizeof(out->password_file), e);
	if (!rc && *trace)
		rc = lab_file(dir, trace, out->trace_file, sizeof(out->trace_file), e);
out:
	json_decref(o);
	buf_release(&b);
	free(dir);
	return rc;
}

int lab_set_netboot(const char *state, const char *machine, int http_port, int ms, struct err *e)
{
	char *dir = lab_dir(state, machine), request[64];
	bool running;
	struct buf b;
	int rc;

	buf_init(&b, LAB_REPLY_MAX);
	snprintf(request, sizeof(request), "netboot %d", http_port);
	rc = lab_call(dir, request, ms, &b, &running, e);
	if (!rc && !running)
		rc = err_set(e, ERR_LAB, "E_LAB",
			"%s: the virtual lab has gone; harness lab up %s starts it", machine,
			machine);
	buf_release(&b);
	free(dir);
	return rc;
}
