/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The version of this build, as `git describe` gave it; version.c is the only file that is compiled
 * again when it changes. */
#ifndef HARNESS_VERSION_H
#define HARNESS_VERSION_H

extern const char harness_version[];

#endif
