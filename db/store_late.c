/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/store_late.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/mem.h"

void late_release(struct store_late *l)
{
	while (l->events)
		late_drop_event(l);
	late_drop_boot(l);
}

int late_add_event(struct store_late *l, int64_t place, int64_t boot_number, int64_t mono_ns,
	const char *what, const char *detail)
{
	struct late_event *ev;

	if (l->n_events == STORE_LATE_MAX)
		return -1;
	ev = mem_alloc(sizeof(*ev));
	*ev = (struct late_event){.place = place,
		.boot_number = boot_number,
		.mono_ns = mono_ns,
		.what = mem_strdup(what),
		.detail = mem_strdup(detail)};
	if (l->last)
		l->last->next = ev;
	else
		l->events = ev;
	l->last = ev;
	l->n_events++;
	return 0;
}

void late_drop_event(struct store_late *l)
{
	struct late_event *ev = l->events;

	l->events = ev->next;
	if (!l->events)
		l->last = NULL;
	l->n_events--;
	free(ev->what);
	free(ev->detail);
	free(ev);
}

void late_add_boot(struct store_late *l, const struct boot_result *r, bool will_retry,
	const void *packed, size_t n)
{
	struct late_boot *b = mem_alloc(sizeof(*b));

	assert(!l->boot);
	*b = (struct late_boot){
		.r = *r, .will_retry = will_retry, .packed = mem_alloc(n ? n : 1), .n = n};
	memcpy(b->packed, packed, n);
	b->r.samples = mem_array(r->n_samples ? r->n_samples : 1, sizeof(*r->samples));
	if (r->n_samples)
		memcpy(b->r.samples, r->samples, r->n_samples * sizeof(*r->samples));
	b->r.console = NULL;
	b->r.flags = mem_strdup(r->flags ? r->flags : "");
	l->boot = b;
}

void late_drop_boot(struct store_late *l)
{
	struct late_boot *b = l->boot;

	if (!b)
		return;
	free(b->r.samples);
	free((char *)(uintptr_t)b->r.flags);
	free(b->packed);
	free(b);
	l->boot = NULL;
}
