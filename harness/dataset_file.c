/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/dataset_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/mem.h"

enum { CHUNK = 128 << 10 }; /* bytes: large for the kernel, small for the cache */

static int dataset_file_rest(struct dataset *d, int fd, struct err *e)
{
	char *chunk = mem_alloc(CHUNK);
	ssize_t n;
	int rc;

	do {
		do
			n = read(fd, chunk, CHUNK);
		while (n < 0 && errno == EINTR);
		rc = n < 0 ? err_set(e, ERR_USAGE, NULL, "Cannot read %s: %s", d->name,
				     strerror(errno))
			   : dataset_feed(d, chunk, (size_t)n, e);
	} while (!rc && n > 0);
	free(chunk);
	return rc ? rc : dataset_finish(d, e);
}

int dataset_file_read(struct dataset *d, const char *path, struct err *e)
{
	struct stat st;
	int fd = STDIN_FILENO, rc;

	if (strcmp(path, "-") != 0)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_USAGE, NULL, "Cannot open %s: %s", path, strerror(errno));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		dataset_expect(d, (size_t)st.st_size);
	rc = dataset_file_rest(d, fd, e);
	if (fd != STDIN_FILENO)
		close(fd);
	return rc;
}
