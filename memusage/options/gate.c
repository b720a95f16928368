/* gate.c -- The options that judge a run: --fail-if, --budget, --baseline, --ci.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/gate.h"

#include <string.h>

#include "cli/xmalloc.h"
#include "formats/gate/gate_names.h"

const char *gate_add(const struct opt *option, const char *arg, void *data)
{
	static struct mu_error err;
	const int result = option->constant ? condition_list_read(data, arg, &err) :
					      condition_list_add(data, arg, &err);

	return result < 0 ? err.text : NULL;
}

const char *gate_add_ci(const struct opt *option, const char *arg, void *data)
{
	enum gate_format format;
	const char *file, *why = gate_names_parse(arg, &format, &file);

	if (!why && !file && format != GATE_GITHUB)
		why = "needs a file, since the output is the program's: add :FILE";
	if (!why)
		opt_list_append(data, arg);
	return why;
}

bool gate_wanted(const struct gate_settings *g)
{
	return g->conditions.count > 0 && !g->is_part;
}

bool gate_needs_leak_check(const struct gate_settings *g)
{
	return condition_list_find(&g->conditions, CONDITION_LEAKS) != NULL;
}

void gate_append(struct opt_list *list, const struct gate_settings *g)
{
	for (size_t i = 0; i < g->conditions.count; i++)
		opt_list_append(list, xasprintf("--fail-if=%s", g->conditions.item[i].text));
	for (size_t i = 0; i < g->baseline.count; i++)
		opt_list_append(list, xasprintf("--baseline=%s", g->baseline.item[i]));
	for (size_t i = 0; i < g->ci.count; i++)
		opt_list_append(list, xasprintf("--ci=%s", g->ci.item[i]));
}
