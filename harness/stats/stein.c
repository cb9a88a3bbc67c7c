/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/stats/stein.h"

#include <math.h>

#include "harness/stats/ttest.h"

static int stein_check(
	const struct moments *ref, const struct moments *mode, double width, struct err *e)
{
	if (!(width > 0) || !isfinite(width))
		return err_set(
			e, ERR_USAGE, NULL, "a relative width of %g cannot be asked for", width);
	if (ref->n < 2 || (mode && mode->n < 2))
		return err_set(e, ERR_MEASURE, NULL,
			"a spread needs 2 values a side, not %zu and %zu", ref->n,
			mode ? mode->n : ref->n);
	if (ref->avg == 0)
		return err_set(e, ERR_MEASURE, NULL,
			"the reference mean is 0: no width is relative to it");
	return 0;
}

static void stein_spread(struct stein *s, const struct moments *ref, const struct moments *mode)
{
	double n0 = (double)ref->n, n1, most, a, b;

	if (!mode) {
		s->sides = 1;
		s->s0 = ref->sd;
		s->dof = n0 - 1;
		return;
	}
	s->sides = 2;
	n1 = (double)mode->n;
	most = fmax(ref->sd, mode->sd);
	if (most <= 0) {
		s->dof = n0 + n1 - 2;
		return;
	}
	/* Relative to the larger one, so that fourth powers stay in range. */
	a = pow(ref->sd / most, 2);
	b = pow(mode->sd / most, 2);
	s->s0 = most * sqrt((a + b) / 2);
	s->dof = (a + b) * (a + b) / (a * a / (n0 - 1) + b * b / (n1 - 1));
}

int stein_boots(struct stein *s, const struct moments *ref, const struct moments *mode,
	double width, struct err *e)
{
	size_t least = mode && mode->n > ref->n ? mode->n : ref->n;
	int rc = stein_check(ref, mode, width, e);
	double need = 0, ratio;

	if (rc)
		return rc;
	*s = (struct stein){.h = width * fabs(ref->avg)};
	stein_spread(s, ref, mode);
	s->t = ttest_quantile(STEIN_CONF, s->dof);
	if (s->s0 > 0) {
		/* A ratio past all bounds, also over an h that vanished, is capped below. */
		ratio = s->t * s->s0 / s->h;
		need = ceil(s->sides * ratio * ratio);
	}
	if (need < (double)least)
		need = (double)least;
	s->capped = need > STEIN_BOOTS_MAX;
	s->boots = s->capped ? STEIN_BOOTS_MAX : (int)need;
	return 0;
}

double stein_half(const struct stein *s, int boots)
{
	return s->t * s->s0 * sqrt((double)s->sides / boots);
}
