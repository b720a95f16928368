/* leaks.c -- The options of leak checks: Memcheck's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/leaks.h"

#include <string.h>

#include "cli/word_set.h"
#include "cli/xmalloc.h"
#include "formats/leaks/leak_report.h"
#include "profile/graph/leak_heuristics.h"

void leaks_reset(struct leak_settings *l)
{
	*l = (struct leak_settings){ .heuristics = LEAK_HEURISTICS_ALL,
				     .resolution = LEAK_RESOLUTION_HIGH };
}

const char *leaks_set(const struct opt *option, const char *arg, void *data)
{
	struct leak_settings *l = data;
	unsigned int set;
	const char *why;

	if (strcmp(option->name, "leak-check-heuristics") == 0)
		return word_set_parse(arg, word_set_leak_heuristics, &l->heuristics);
	why = word_set_parse(arg, word_set_leak_kinds, &set);
	if (!why && strcmp(option->name, "show-leak-kinds") == 0)
		l->kinds = arg;
	else if (!why)
		l->errors = arg;
	return why;
}

bool leaks_wanted(const struct leak_settings *l)
{
	return l->check != LEAKS_NO;
}

void leaks_append_report(struct opt_list *list, const struct leak_settings *l)
{
	static const char *const resolutions[] = { "low", "med", "high" };

	opt_list_append(list, l->check == LEAKS_SUMMARY ? "--leak-check=summary" :
							  "--leak-check=full");
	if (l->kinds)
		opt_list_append(list, xasprintf("--show-leak-kinds=%s", l->kinds));
	if (l->errors)
		opt_list_append(list, xasprintf("--errors-for-leak-kinds=%s", l->errors));
	if (l->resolution != LEAK_RESOLUTION_HIGH)
		opt_list_append(list, xasprintf("--leak-resolution=%s",
						resolutions[l->resolution]));
}
