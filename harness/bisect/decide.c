/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/bisect/decide.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "harness/stats/fieller.h"
#include "harness/stats/ttest.h"

void decide_plan_init(struct decide_plan *p, size_t first, size_t max, double conf, double effect)
{
	*p = (struct decide_plan){.conf_all = conf, .effect = effect};
	for (size_t n = first; n < max && p->n + 1 < DECIDE_LOOKS_MAX; n += (n + 1) / 2)
		p->looks[p->n++] = n;
	p->looks[p->n++] = max;
	p->conf = 100 - (100 - conf) / (double)p->n;
}

size_t decide_look(const struct decide_plan *p, size_t boots)
{
	size_t i = 0;

	while (i + 1 < p->n && p->looks[i] < boots)
		i++;
	return i;
}

int decide_ends(struct decide_ends *d, const struct decide_plan *p, const struct moments *good,
	const struct moments *bad, struct err *e)
{
	struct fieller_mean num = {bad->avg, bad->sd / sqrt((double)bad->n), (double)bad->n - 1};
	struct fieller_mean den = {
		good->avg, good->sd / sqrt((double)good->n), (double)good->n - 1};
	struct fieller f;
	struct ttest t;
	bool passes;
	int rc = ttest_welch(&t, good, bad, p->conf, e);

	*d = (struct decide_ends){.kind = DECIDE_OPEN};
	if (!rc)
		rc = fieller_welch(&f, &num, &den, p->conf, e);
	if (rc)
		return rc;
	d->pct = 100 * (f.ratio - 1);
	d->faster = d->pct < 0;
	d->t = isfinite(t.t) ? t.t : 0;
	d->dof = t.dof;
	d->p = t.p;
	d->bounded = f.bounded;
	if (!f.bounded)
		return 0;
	d->lo = 100 * (f.lo - 1);
	d->hi = 100 * (f.hi - 1);
	passes = t.lo > 0 || t.hi < 0;
	if (passes && (d->lo > p->effect || d->hi < -p->effect))
		d->kind = DECIDE_DIFFER;
	else if (d->lo > -p->effect && d->hi < p->effect)
		d->kind = DECIDE_SAME;
	return 0;
}

int decide_commit(struct decide_commit *d, const struct decide_plan *p, const struct moments *m,
	const struct moments *good, const struct moments *bad, struct err *e)
{
	const struct moments *all[] = {m, good, bad};
	double l = m->avg - (good->avg + bad->avg) / 2, sum = 0, below = 0, se;

	*d = (struct decide_commit){.decided = false};
	for (int i = 0; i < 3; i++) {
		double v = all[i]->sd * all[i]->sd / (double)all[i]->n / (i ? 4 : 1);

		if (all[i]->n < 2 || !isfinite(v))
			return err_set(e, ERR_MEASURE, NULL,
				"a commit of less than two boots tells nothing of their spread");
		sum += v;
		below += v * v / ((double)all[i]->n - 1);
	}
	if (bad->avg < good->avg)
		l = -l;
	se = sqrt(sum);
	d->exact = se <= 0 || !isfinite(l / se) || below <= 0;
	if (d->exact) {
		d->decided = l > 0 || l < 0;
	} else {
		d->dof = sum * sum / below;
		d->t = l / se;
		d->p = 2 * gsl_cdf_tdist_Q(fabs(d->t), d->dof);
		d->decided = fabs(d->t) > ttest_quantile(p->conf, d->dof);
	}
	d->word = l > 0 ? WALK_BAD : WALK_GOOD;
	return 0;
}
