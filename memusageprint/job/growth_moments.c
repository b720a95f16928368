/* growth_moments.c -- The two moments that --growth names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/growth_moments.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/xmalloc.h"

/* Names a nameless recording by the command of `memusage --pid` that it was copied for, or not. */
static void warn_of_moments(const struct report_subject *s, const char *why)
{
	const struct recording *r = s->recording;

	if (!r->is_nameless)
		warn("%s: --growth: %s", r->name, why);
	else
		warn("%s: %s", s->is_live_copy ? "growth" : "--growth", why);
}

static int find_moment(struct moment *m, const struct report_subject *s, const char *typed,
		       uint64_t until)
{
	struct mu_error err;

	if (moment_find(m, &s->image, typed, until, &err) == 0)
		return 0;
	warn_of_moments(s, err.text);
	return -1;
}

int growth_moments_find(struct growth_range *g, const struct report_subject *s,
			const struct settings *settings)
{
	const char *first = settings->growth_from ? settings->growth_from : "";
	const char *last = settings->growth_to ? settings->growth_to : "";
	struct moment *from = &g->from, *to = &g->to;
	char *why;

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
	why = xasprintf("%s is after %s", first, last);
	warn_of_moments(s, why);
	free(why);
	return -1;
}
