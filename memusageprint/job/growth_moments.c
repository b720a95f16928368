/* growth_moments.c -- The two moments that --growth names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/growth_moments.h"

#include "cli/message.h"

static int find_moment(struct moment *m, const struct report_subject *s, const char *typed,
		       uint64_t until)
{
	struct mu_error err;

	if (moment_find(m, &s->image, typed, until, &err) == 0)
		return 0;
	warn("%s: --growth: %s", s->recording->name, err.text);
	return -1;
}

int growth_moments_find(struct growth_range *g, const struct report_subject *s,
			const struct settings *settings)
{
	const char *first = settings->growth_from ? settings->growth_from : "";
	const char *last = settings->growth_to ? settings->growth_to : "";
	struct moment *from = &g->from, *to = &g->to;

	if (*last && find_moment(to, s, last, UINT64_MAX) < 0)
		return -1;
	if (*first && find_moment(from, s, first, *last ? to->asked_ns : UINT64_MAX) < 0)
		return -1;
	if (!*last)
		moment_choose_end(to, &s->image, *first ? from : NULL);
	if (!*first)
		moment_choose_start(from, &s->image, to);
	if (from->ns <= to->ns)
		return 0;
	warn("%s: --growth=%s..%s: %s is after %s", s->recording->name, first, last, first, last);
	return -1;
}
