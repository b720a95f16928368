/* advice.c -- What makes the names in a list of places better.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/advice.h"

#include <string.h>

#include "cli/layout.h"
#include "cli/terminal.h"

enum { MUCH = 4 };	/* one part in so many is worth an advice */

static const char *object_of_entry(const struct profile *p, const struct top_entry *e)
{
	return profile_object(p, p->frame[e->at.frame].location);
}

static bool is_nameless(const struct profile *p, const struct top_entry *e)
{
	const struct symbols_level *level = e->at.left ? position_level(p, &e->at) : NULL;

	return e->at.left && !(level && level->full) && *object_of_entry(p, e);
}

/* "python3.11", "libpython3.12.so.1.0" */
static bool is_in_python(const struct profile *p, const struct top_entry *e)
{
	const char *name = e->at.left ? basename(object_of_entry(p, e)) : "";

	return strncmp(name, "python3", 7) == 0 || strncmp(name, "libpython3", 10) == 0;
}

/* Returns the first entry like WANTED if those of its object are many of the list, or NULL. */
static const struct top_entry *find_many(const struct profile *p, const struct top *t,
					 bool (*wanted)(const struct profile *p,
							const struct top_entry *e),
					 bool by_blocks)
{
	const struct top_entry *first = NULL;
	int64_t all = by_blocks ? t->blocks : t->bytes, sum = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct top_entry *e = &t->entry[i];

		if (!wanted(p, e))
			continue;
		if (!first)
			first = e;
		if (strcmp(object_of_entry(p, e), object_of_entry(p, first)) == 0)
			sum += by_blocks ? e->blocks : e->bytes;
	}
	return sum > 0 && sum >= all / MUCH ? first : NULL;
}

void advice_print_names(FILE *out, const struct profile *p, const struct top *places,
			bool by_blocks)
{
	const struct top_entry *nameless = find_many(p, places, is_nameless, by_blocks);

	if (nameless) {
		fputs("\nNames are missing: ", out);
		terminal_put(out, basename(object_of_entry(p, nameless)));
		fputs(" was stripped of them. Install its debug symbols (Debian:" LAYOUT_NEWLINE
		      "a package NAME-dbgsym), or have them fetched by --debuginfod. A program of "
		      "your own:" LAYOUT_NEWLINE "build it with -g, and do not strip it.\n", out);
	}
	if (find_many(p, places, is_in_python, by_blocks))
		fputs("\nThese are functions of Python itself. Small objects are counted only with"
		      LAYOUT_NEWLINE "PYTHONMALLOC=malloc, and functions of the script have names "
		      "only with" LAYOUT_NEWLINE "python3 -X perf (3.12 or later).\n", out);
}
