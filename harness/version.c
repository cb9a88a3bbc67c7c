/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/version.h"

#include <version.h> /* made by the Makefile */

const char harness_version[] = HARNESS_VERSION;
