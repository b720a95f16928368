/* places.c -- Finds the sites that a condition is about.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/places.h"

#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/compare/frame_key.h"
#include "profile/model/position.h"

/* "parse" means ns::parse, too, and core::parse. */
static bool is_last_part(const char *name, const char *part)
{
	const size_t length = strlen(name), wanted = strlen(part);

	return length > wanted + 2 && strcmp(name + length - wanted, part) == 0 &&
	       memcmp(name + length - wanted - 2, "::", 2) == 0;
}

static bool is_function(const char *full, const char *wanted)
{
	char key[FRAME_KEY_LENGTH];

	if (strcmp(full, wanted) == 0)
		return true;
	frame_key_function(full, key);
	return strcmp(key, wanted) == 0 || is_last_part(key, wanted);
}

static bool is_module(const char *path, const char *wanted)
{
	char key[FRAME_KEY_LENGTH], wanted_key[FRAME_KEY_LENGTH];

	if (!*path)
		return false;
	if (strcmp(path, wanted) == 0 || strcmp(basename(path), wanted) == 0)
		return true;
	frame_key_module(path, key);
	if (strchr(wanted, '/'))
		return false;
	/* "libz" and "libz.so.1" are libz.so.1.2.13; "prog" is not prog.so. */
	return strcmp(key, wanted) == 0 ||
	       (strstr(wanted, ".so") && strstr(basename(path), ".so") &&
		strcmp(key, frame_key_module(wanted, wanted_key)) == 0);
}

/* Tells of each location whether one of its functions is meant. Returns how many are. */
static int mark_locations(const struct condition *c, const regex_t *pattern,
			  const struct profile *p, uint8_t *is_meant)
{
	int marked = 0;

	for (uint32_t i = 0; i < p->location_count; i++) {
		uint32_t levels;
		const struct symbols_level *level = profile_levels(p, i, &levels);

		for (uint32_t k = 0; k < levels && !is_meant[i]; k++) {
			const char *full = symbols_text(&p->symbols, level[k].full);

			is_meant[i] = pattern ? *full && regexec(pattern, full, 0, NULL, 0) == 0 :
						is_function(full, c->name);
		}
		marked += is_meant[i] && marked < INT_MAX;
	}
	return marked;
}

/* Frames are numbered so that a caller comes before what it called. */
static void mark_frames(const struct profile *p, const uint8_t *is_meant, uint8_t *has)
{
	for (uint32_t i = 1; i < p->frame_count; i++)
		has[i] = is_meant[p->frame[i].location] || has[p->frame[i].parent];
}

static int select_by_function(const struct condition *c, const struct filter *f,
			      uint8_t *selected)
{
	const struct profile *p = f->profile;
	uint8_t *is_meant, *has;
	regex_t pattern;
	int marked;

	if (c->scope == CONDITION_PATTERN &&
	    regcomp(&pattern, c->name, REG_EXTENDED | REG_NOSUB) != 0)
		return -1;
	is_meant = xcalloc((size_t)p->location_count + 1, 1);
	has = xcalloc((size_t)p->frame_count + 1, 1);
	marked = mark_locations(c, c->scope == CONDITION_PATTERN ? &pattern : NULL, p, is_meant);
	mark_frames(p, is_meant, has);
	for (uint32_t i = 0; i < p->sites.count; i++) {
		const uint32_t stack = p->sites.site[i].stack;

		selected[i] = stack < p->stack_count && has[p->stack[stack].frame];
	}
	free(is_meant);
	free(has);
	if (c->scope == CONDITION_PATTERN)
		regfree(&pattern);
	return marked;
}

static int select_by_module(const struct condition *c, const struct filter *f, uint8_t *selected)
{
	const struct profile *p = f->profile;
	uint8_t *is_meant = xcalloc((size_t)p->modules.count + 1, 1);
	int marked = 0;

	for (uint32_t i = 0; i < p->modules.count; i++) {
		is_meant[i] = is_module(p->modules.module[i].path, c->name);
		marked += is_meant[i] && marked < INT_MAX;
	}
	for (uint32_t i = 0; i < p->sites.count; i++) {
		const struct filtered stack = filter_stack(f, p->sites.site[i].stack);
		const struct position at = position_innermost(&stack);
		const uint32_t module = at.left ? p->location[p->frame[at.frame].location].module :
						  MODULES_NONE;

		selected[i] = module < p->modules.count && is_meant[module];
	}
	free(is_meant);
	return marked;
}

int places_select(const struct condition *c, const struct filter *complete,
		  const struct filter *shown, uint8_t *selected)
{
	if (c->scope == CONDITION_FUNCTION || c->scope == CONDITION_PATTERN)
		return select_by_function(c, complete, selected);
	if (c->scope == CONDITION_MODULE)
		return select_by_module(c, shown, selected);
	memset(selected, 1, shown->profile->sites.count);
	return 1;
}
