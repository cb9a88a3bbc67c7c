/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/base/str.h"

int err_set(struct err *e, enum err_class cls, const char *code, const char *fmt, ...)
{
	va_list ap;

	e->cls = cls;
	snprintf(e->code, sizeof(e->code), "%s", code ? code : "");
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	str_clean(e->msg);
	return -(int)cls;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	int n;

	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(e->msg))
		snprintf(e->msg + n, sizeof(e->msg) - (size_t)n, ": %s", old);
	str_clean(e->msg);
	return -(int)e->cls;
}

const char *err_class_name(enum err_class cls)
{
	switch (cls) {
	case ERR_NONE:
		return "none";
	case ERR_REGRESSION:
		return "regression";
	case ERR_USAGE:
		return "usage";
	case ERR_LAB:
		return "lab";
	case ERR_IMAGE:
		return "image";
	case ERR_MEASURE:
		return "measurement";
	case ERR_BUSY:
		return "busy";
	case ERR_INTERRUPTED:
		return "interrupted";
	case ERR_BUG:
		break;
	}
	return "bug";
}
