/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/base/limits.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

int limits_files(size_t need, size_t want, struct err *e)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return err_set(e, ERR_BUG, NULL, "getrlimit: %s", strerror(errno));
	if (l.rlim_cur >= want)
		return 0;
	if (l.rlim_max < need)
		return err_set(e, ERR_LAB, "E_FILES",
			"this takes %zu open files at once, and this process may have %llu: raise "
			"the limit (ulimit -Hn, LimitNOFILE= of a service), or do less at once",
			need, (unsigned long long)l.rlim_max);
	l.rlim_cur = l.rlim_max < want ? l.rlim_max : want;
	if (setrlimit(RLIMIT_NOFILE, &l))
		return err_set(e, ERR_LAB, "E_FILES",
			"cannot raise the limit of open files to %zu: %s", want, strerror(errno));
	return 0;
}
