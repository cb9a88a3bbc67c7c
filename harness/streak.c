/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "harness/streak.h"

#include <string.h>

static void streak_good(struct streak *s, const char *build)
{
	s->failures = 0;
	s->hung[0] = '\0';
	if (!*s->good)
		memcpy(s->good, build, sizeof(s->good));
	else if (strcmp(s->good, build) != 0)
		s->several = true;
}

/* Has the build hung all alone, while others boot? */
static bool streak_of_build(struct streak *s, const struct boot_result *r)
{
	if (!*r->build || !result_hung(r))
		return false;
	if (!*s->hung)
		memcpy(s->hung, r->build, sizeof(s->hung));
	return !strcmp(s->hung, r->build) &&
	       (s->several || (*s->good && strcmp(s->good, r->build) != 0));
}

void streak_add(struct streak *s, const struct boot_result *r)
{
	if (r->outcome == OUTCOME_OK) {
		streak_good(s, r->build);
	} else if (r->outcome == OUTCOME_LAB && strcmp(r->err.code, "E_AUTH") != 0) {
		/* A wrong password says nothing of the machine. */
		if (!streak_of_build(s, r))
			s->failures++;
	} else if (r->outcome != OUTCOME_INTERRUPTED) {
		s->failures = 0;
	}
}
