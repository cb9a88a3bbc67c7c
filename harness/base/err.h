/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One failure: whose fault it is, a stable code, and one line for a person.
 *
 * The class decides the exit status, so that a broken lab can never be read as a regression.
 * A struct err is plain data: copy it freely, nothing to release.  Callers pass a pointer that is
 * never NULL; it is written only on failure.
 */
#ifndef HARNESS_BASE_ERR_H
#define HARNESS_BASE_ERR_H

/* Values are the documented exit statuses. */
enum err_class {
	ERR_NONE = 0,
	ERR_REGRESSION = 1,
	ERR_USAGE = 2,
	ERR_LAB = 3,
	ERR_IMAGE = 4,
	ERR_MEASURE = 5,
	ERR_BUSY = 6,
	ERR_BUG = 70,
	ERR_INTERRUPTED = 130,
};

struct err {
	enum err_class cls;
	char code[24]; /* "E_TIMEOUT", or "" where the message says it all */
	char msg[768]; /* one line, no trailing newline, no program name */
};

#define ERR_INIT \
	{ \
		ERR_NONE, "", "" \
	}

#define must_check __attribute__((warn_unused_result))

/* Fill *e and return -cls.  code may be NULL.  The message is cut at the size of the field, and
 * str_clean() is applied, so that a hostile console cannot paint on the terminal. */
int err_set(struct err *e, enum err_class cls, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put "context: " before the message of *e and return -e->cls. */
int err_prefix(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* "usage", "lab", "image", … for logs and the database. */
const char *err_class_name(enum err_class cls);

#endif
