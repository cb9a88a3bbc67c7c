/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read a data set from a file, or from standard input. */
#ifndef HARNESS_DATASET_FILE_H
#define HARNESS_DATASET_FILE_H

#include "harness/dataset.h"

#define DATASET_STDIN "<stdin>" /* its name in texts */

/* Read the file to its end into d, which is new and stays the caller's to release; path "-" is
 * standard input, which is left open.  Fails as dataset_feed() and dataset_finish(), and with
 * ERR_USAGE on "Cannot open PATH: why". */
must_check int dataset_file_read(struct dataset *d, const char *path, struct err *e);

#endif
