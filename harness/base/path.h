/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders and whole files.
 *
 * State lies below one folder: --state, $HARNESS_STATE, or $XDG_STATE_HOME/harness (by default
 * ~/.local/state/harness).  What the project ships (target files, build recipes) is found beside
 * the binary in a source tree, or below PREFIX/share/harness once installed.
 */
#ifndef HARNESS_BASE_PATH_H
#define HARNESS_BASE_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/base/buf.h"
#include "harness/base/err.h"

/* The state folder as an absolute path, made (mode 0700) if it is not there.  option: value of
 * --state or NULL.  The caller frees *out. */
int path_state(const char *option, char **out, struct err *e) must_check;

/* A shipped file or folder, "targets" or "firmware-images/xen/recipe": absolute, exists.  The
 * caller frees *out. */
int path_data(const char *rel, char **out, struct err *e) must_check;

/* This program's own file, for starting itself again.  The caller frees it. */
char *path_self(void);

/* mkdir -p with mode 0700 for new folders. */
int path_mkdirs(const char *dir, struct err *e) must_check;

/* Append the whole file to b; longer than b's limit is an error. */
int path_read(const char *file, struct buf *b, struct err *e) must_check;

/* Write the whole file or nothing: a temporary file beside it (beside what a link leads to), fsync,
 * rename.  A device or a pipe is written to as it stands. */
int path_write(const char *file, const void *p, size_t n, unsigned mode, struct err *e) must_check;

/* The same for what is made while it is written: fill() writes to fd and returns 0, or -1 with
 * errno set; then there is no file, or the old one. */
typedef int path_fill_fn(void *arg, int fd);
int path_write_by(
	const char *file, path_fill_fn *fill, void *arg, unsigned mode, struct err *e) must_check;

/* All of it, however often the system asks: 0, or -1 with errno set. */
int path_write_fd(int fd, const void *p, size_t n);

/* Would path_write() have a folder to write to?  For whoever works for hours before it writes. */
int path_check_write(const char *file, struct err *e) must_check;

/* Remove a folder and what is in it; does not follow links.  Missing is success. */
int path_remove(const char *dir, struct err *e) must_check;

bool path_exists(const char *path);

#endif
