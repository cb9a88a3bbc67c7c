/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/limits.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

int limits_files(size_t n, struct err *e)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return err_set(e, ERR_BUG, NULL, "getrlimit: %s", strerror(errno));
	if (l.rlim_cur >= n)
		return 0;
	if (l.rlim_max < n)
		return err_set(e, ERR_LAB, "E_FILES",
			"this takes %zu open files at once, and this process may have %llu: raise "
			"the limit (ulimit -Hn, LimitNOFILE= of a service), or do less at once",
			n, (unsigned long long)l.rlim_max);
	l.rlim_cur = n;
	if (setrlimit(RLIMIT_NOFILE, &l))
		return err_set(e, ERR_LAB, "E_FILES",
			"cannot raise the limit of open files to %zu: %s", n, strerror(errno));
	return 0;
}
