/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/settle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"
#include "harness/stats/moments.h"
#include "harness/stats/ranks.h"

static int settle_median(double *out, double *room, const double *v, size_t n, struct err *e)
{
	struct moments m;
	int rc;

	memcpy(room, v, n * sizeof(*v));
	rc = moments_init(&m, room, n, e);
	if (!rc)
		*out = m.median;
	return rc;
}

int settle_check(struct settle *s, const double *v, size_t n, struct err *e)
{
	size_t half = n / 2;
	struct settle got = {.state = SETTLE_UNKNOWN};
	double *room, all;
	struct ranks r;
	int rc;

	if (n < SETTLE_MIN) {
		*s = got;
		return 0;
	}
	room = mem_array(n, sizeof(*room));
	rc = settle_median(&all, room, v, n, e);
	if (!rc)
		rc = settle_median(&got.first, room, v, half, e);
	if (!rc)
		rc = settle_median(&got.second, room, v + half, n - half, e);
	if (!rc)
		rc = ranks_mann_whitney(&r, v, half, v + half, n - half, e);
	free(room);
	if (rc)
		return rc;
	got.p = r.p;
	got.state = r.p < SETTLE_P && fabs(got.second - got.first) > SETTLE_PART * fabs(all)
			    ? SETTLE_NEVER
			    : SETTLE_YES;
	*s = got;
	return 0;
}

void settle_rule(char *out, size_t size, int warmup)
{
	snprintf(out, size,
		"after %d; flagged if halves differ (Mann-Whitney at %g, medians by over %g %%)",
		warmup, SETTLE_P, 100 * SETTLE_PART);
}
