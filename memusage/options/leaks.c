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
				     .resolution = LEAK_RESOLUTION_HIGH,
				     .tree_file = LEAK_TREE_FILE };
}

static const char *set_tree(struct leak_settings *l, const struct opt *option, const char *arg)
{
	if (strcmp(option->name, "xtree-leak-file") == 0) {
		l->tree_file = arg;
		return *arg ? NULL : "is empty";
	}
	l->has_tree = strcmp(arg, "yes") == 0;
	return l->has_tree || strcmp(arg, "no") == 0 ? NULL : "must be yes or no";
}

const char *leaks_set(const struct opt *option, const char *arg, void *data)
{
	struct leak_settings *l = data;
	unsigned int set;
	const char *why;

	if (strncmp(option->name, "xtree-", strlen("xtree-")) == 0)
		return set_tree(l, option, arg);

	if (strcmp(option->name, "leak-check-heuristics") == 0)
		return word_set_parse(arg, word_set_leak_heuristics, &l->heuristics);
	why = word_set_parse(arg, word_set_leak_kinds, &set);
	if (!why && strcmp(option->name, "show-leak-kinds") == 0)
		l->kinds = arg;
	else if (!why)
		l->errors = arg;
	return why;
}

void leaks_settle(struct leak_settings *l)
{
	if (!l->has_tree)
		return;
	l->check = LEAKS_FULL;
	l->kinds = "all";
}

bool leaks_wanted(const struct leak_settings *l)
{
	return l->check != LEAKS_NO;
}

static void append_resolution(struct opt_list *list, const struct leak_settings *l)
{
	static const char *const resolutions[] = { "low", "med", "high" };

	if (l->resolution != LEAK_RESOLUTION_HIGH)
		opt_list_append(list, xasprintf("--leak-resolution=%s",
						resolutions[l->resolution]));
}

void leaks_append_report(struct opt_list *list, const struct leak_settings *l)
{
	opt_list_append(list, l->check == LEAKS_SUMMARY ? "--leak-check=summary" :
							  "--leak-check=full");
	if (l->kinds)
		opt_list_append(list, xasprintf("--show-leak-kinds=%s", l->kinds));
	if (l->errors)
		opt_list_append(list, xasprintf("--errors-for-leak-kinds=%s", l->errors));
	append_resolution(list, l);
	if (l->forks)
		opt_list_append(list, "--leak-check-forks");
}

void leaks_append_tree(struct opt_list *list, const struct leak_settings *l)
{
	if (!l->has_tree)
		return;
	opt_list_append(list, "--xtree-leak=yes");
	opt_list_append(list, xasprintf("--xtree-leak-file=%s", l->tree_file));
	append_resolution(list, l);
}
