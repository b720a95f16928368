/* option_rules.h -- The rules of a table of options, which no parser checks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/options_help.h"

static inline bool is_legacy_name(const struct opt_tool *tool, const char *name)
{
	for (const char *const *legacy = tool->legacy; legacy && *legacy; legacy++)
		if (strcmp(*legacy, name) == 0)
			return true;
	return false;
}

/* The first rule that option O, which follows COUNT others, breaks, or NULL. */
static inline const char *find_broken_rule(const struct opt_tool *tool, const struct opt *o,
					   const struct opt *const *others, int count)
{
	for (int j = 0; j < count; j++) {
		if (strcmp(o->name, others[j]->name) == 0)
			return "is there twice";
		if (o->letter && o->letter == others[j]->letter)
			return "has the letter of another";
	}
	for (const char *const *legacy = tool->legacy; legacy && *legacy; legacy++)
		if (!is_legacy_name(tool, o->name) &&
		    strncmp(*legacy, o->name, strlen(o->name)) == 0)
			return "is an abbreviation of a legacy option";
	return o->help && *o->help ? NULL : "has no help text";
}

/* Tells whether the table of a program, with the options that every program has, keeps the rules.
 * WHY names the first option that does not. */
static inline bool option_rules_hold(const struct opt_tool *tool, char why[128])
{
	const struct opt *const tables[] = { tool->options, opt_common };
	const struct opt *seen[512];
	int count = 0;

	for (int i = 0; i < 2; i++)
		for (const struct opt *o = tables[i]; o->kind != OPT_KIND_END; o++) {
			const char *broken;

			if (o->kind == OPT_KIND_GROUP)
				continue;
			broken = find_broken_rule(tool, o, seen, count);
			if (broken)
				snprintf(why, 128, "--%s %s", o->name, broken);
			if (broken || count == sizeof(seen) / sizeof(*seen))
				return false;
			seen[count++] = o;
		}
	return true;
}
