/* settings.c -- What follows from the settings together.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/settings.h"

#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/xtree.h"

enum { PLACES_MAX = 1000000 };	/* as in memusageprint */

bool settings_parse_places(const char *text, unsigned int *places)
{
	uint64_t number;

	if (!units_parse_count(text, &number) || number == 0 || number > PLACES_MAX)
		return false;
	*places = (unsigned int)number;
	return true;
}

void settings_append_place_options(struct opt_list *list, const struct settings *s)
{
	static const char *const groups[] = { "line", "function", "file", "object" };

	if (s->group != GROUP_FUNCTION)
		opt_list_append(list, xasprintf("--group=%s", groups[s->group]));
	if (s->grep)
		opt_list_append(list, xasprintf("--grep=%s", s->grep));
	if (s->runtime_frames != RUNTIME_UNSAID)
		opt_list_append(list, xasprintf("--runtime-frames=%s",
						s->runtime_frames == RUNTIME_HIDE ? "hide" :
										    "show"));
}

bool settings_has_places(const struct settings *s)
{
	return s->top > 0 || s->tree || s->leaks || s->growth || s->temporary || s->spacetime ||
	       s->fragmentation || s->holders || leaks_wanted(&s->leak_check) ||
	       s->mode == RUN_MODE_AD_HOC;
}

bool settings_has_text(const struct settings *s)
{
	return settings_has_places(s) || gate_wanted(&s->gate);
}

bool settings_has_leak_check(const struct settings *s)
{
	return leaks_wanted(&s->leak_check) || gate_needs_leak_check(&s->gate);
}

bool settings_has_answer(const struct settings *s)
{
	return s->mode != RUN_MODE_AD_HOC &&
	       (s->top > 0 || s->tree || s->leaks || s->growth || s->temporary ||
		s->fragmentation || s->holders || leaks_wanted(&s->leak_check) ||
		gate_wanted(&s->gate));
}

bool settings_has_stacks(const struct settings *s)
{
	return settings_has_text(s) || settings_has_files(s) || s->record || s->html ||
	       s->start_paused || s->serve || s->push.url ||
	       triggers_wanted(&s->triggers) || s->sample.is_wanted ||
	       s->accesses.copies || s->accesses.engine != ACCESSES_NONE;
}

bool settings_has_files(const struct settings *s)
{
	return s->massif.is_wanted || s->dhat.is_wanted || s->massif.xtree != XTREE_NONE ||
	       s->leak_check.has_tree || s->spacetime;
}

bool settings_has_reports(const struct settings *s)
{
	return settings_has_text(s) || settings_has_files(s) || s->html;
}

bool settings_has_timeline(const struct settings *s)
{
	return s->verbose || settings_has_stacks(s);
}
