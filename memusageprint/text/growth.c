/* growth.c -- The places that grew between two moments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/growth.h"

#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/message.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusageprint/job/growth_moments.h"
#include "memusageprint/text/grep.h"
#include "memusageprint/text/toplist.h"
#include "profile/model/moment.h"
#include "profile/model/place_trends.h"

/* Differences below this part of the time asked for go unsaid. */
enum { NEAR_ENOUGH = 100 };

/* The moment as the user named it, and its time. */
static char *describe_moment(const struct moment *m, const struct report_subject *s,
			     const char *typed)
{
	char time[UNITS_LENGTH];

	units_time(time, m->ns);
	if (m->kind == MOMENT_PEAK)
		return xasprintf("the peak (%s)", time);
	if (m->kind == MOMENT_END)
		return xasprintf(report_subject_is_live(s) ? "now (%s)" : "the end (%s)", time);
	if (m->kind == MOMENT_START)
		return xstrdup("the start");
	if (*typed && strspn(typed, "0123456789.") == 0)
		return xasprintf("%s (%s)", strncmp(typed, "mark:", 5) == 0 ? typed + 5 : typed,
				 time);
	return xstrdup(time);
}

static void put_distance(FILE *out, const struct moment *m)
{
	uint64_t distance = m->ns > m->asked_ns ? m->ns - m->asked_ns : m->asked_ns - m->ns;
	char asked[UNITS_LENGTH], known[UNITS_LENGTH];

	if (distance <= m->asked_ns / NEAR_ENOUGH)
		return;
	fprintf(out, "The places at %s are not known: those at %s, the nearest moment, stand for "
		"them.\n", units_time(asked, m->asked_ns), units_time(known, m->ns));
}

/* Prints the case in which the cause is not a place. */
static void put_resident_rise(FILE *out, const struct image *im)
{
	char from[UNITS_LENGTH], to[UNITS_LENGTH], heap_from[UNITS_LENGTH], heap_to[UNITS_LENGTH];
	struct resident_rise r;

	if (!resident_rise_find(&r, im))
		return;
	fprintf(out, "Private memory (RSS) rises from %s to %s, live bytes do not (%s to %s):"
		LAYOUT_NEWLINE "fragmentation, memory outside malloc, or blocks written to long "
		"after they were allocated.\n", units_bytes(from, r.from), units_bytes(to, r.to),
		units_bytes(heap_from, r.heap_from), units_bytes(heap_to, r.heap_to));
}

int growth_print(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct toplist list = toplist_of_subject(s, METRIC_GROWTH, settings);
	struct growth_range g;
	struct mu_error err;
	char *words[2];

	if (growth_moments_find(&g, s, settings) < 0)
		return -1;
	if (moment_growth(&s->profile.sites, &s->image, &g, s->weight, &err) < 0 ||
	    (s->errors && moment_growth_errors(&s->profile.sites, &s->image, &g, s->errors,
					       s->weight, s->error, &err) < 0)) {
		warn("%s: %s", s->recording->name, err.text);
		return -1;
	}
	putc('\n', out);
	if (!grep_weights(out, report_subject_complete(s), s->weight, settings->grep))
		return 0;
	list.from = words[0] = describe_moment(&g.from, s, settings->growth_from);
	list.to = words[1] = describe_moment(&g.to, s, settings->growth_to);
	toplist_print(out, &list);
	put_distance(out, &g.from);
	put_distance(out, &g.to);
	put_resident_rise(out, &s->image);
	free(words[0]);
	free(words[1]);
	return 0;
}
