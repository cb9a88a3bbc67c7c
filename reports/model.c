/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/model.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

void model_init(struct model *m)
{
	memset(m, 0, sizeof(*m));
}

void model_release(struct model *m)
{
	for (size_t i = 0; i < m->n_list; i++) {
		free((char *)m->list[i].r.flags);
		free(m->list[i].r.samples);
	}
	free(m->list);
	free(m->builds);
	free(m->modes);
	free(m->target_text);
	free(m->extra_args);
	free(m->again);
	model_init(m);
}

bool model_mode_takes(const struct model_mode *d, const struct boot_result *r)
{
	return !strcmp(d->mode, r->mode) && !strcmp(d->build, r->build);
}

static size_t model_kept(const struct model_boot *b, double *out)
{
	size_t n = 0;

	for (size_t i = 0; i < b->r.n_samples; i++) {
		if (b->r.samples[i].warmup)
			continue;
		if (out)
			out[n] = (double)b->r.samples[i].ns;
		n++;
	}
	return n;
}

void model_boot_values(const struct model_boot *b, double **out, size_t *n)
{
	*n = model_kept(b, NULL);
	*out = *n ? mem_array(*n, sizeof(**out)) : NULL;
	if (*n)
		model_kept(b, *out);
}
