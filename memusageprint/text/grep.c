/* grep.c -- Restricts reports to stacks with a text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/grep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "cli/xmalloc.h"

static bool location_matches(const struct profile *p, uint32_t location, const char *text)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (strstr(symbols_text(&p->symbols, level[i].full), text) ||
		    strstr(symbols_text(&p->symbols, level[i].file), text))
			return true;
	}
	return strstr(profile_object(p, location), text) != NULL;
}

/* True if a frame that the filter keeps has the text. */
static bool stack_matches(const struct filter *f, uint32_t site, const uint8_t *has)
{
	const struct profile *p = f->profile;
	struct filtered stack = filter_stack(f, p->sites.site[site].stack);
	uint32_t frame = stack.frame;

	for (uint32_t i = 0; i < stack.count && frame; i++, frame = p->frame[frame].parent) {
		if (has[p->frame[frame].location])
			return true;
	}
	return false;
}

/* Removes the weights; returns how many sites keep theirs, and sets *THERE to how many had one. */
static uint32_t remove_other_weights(const struct filter *f, struct weight *weight,
				     const uint8_t *has, uint32_t *there)
{
	uint32_t kept = 0;

	*there = 0;
	for (uint32_t i = 0; i < f->profile->sites.count; i++) {
		if (!weight[i].is_there)
			continue;
		(*there)++;
		if (stack_matches(f, i, has))
			kept++;
		else
			weight[i] = (struct weight){ .is_there = false };
	}
	return kept;
}

bool grep_weights(FILE *out, const struct filter *f, struct weight *weight, const char *text)
{
	const struct profile *p = f->profile;
	uint32_t kept, there;
	uint8_t *has;

	if (!text)
		return true;
	has = xcalloc((size_t)p->location_count + 1, 1);
	for (uint32_t i = 0; i < p->location_count; i++)
		has[i] = location_matches(p, i, text);
	kept = remove_other_weights(f, weight, has, &there);
	free(has);
	if (kept > 0 || there == 0)
		return true;
	fputs("nothing matches --grep=", out);
	terminal_put(out, text);
	fprintf(out,
		": of %" PRIu32 " call stack%s, none has it in a frame: no function,\n"
		"source file, program or library is called like that\n",
		there, there == 1 ? "" : "s");
	return false;
}
