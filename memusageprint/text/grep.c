/* grep.c -- Restricts reports to stacks with a text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/grep.h"

#include <stdlib.h>
#include <string.h>

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
static bool stack_matches(const struct report_subject *s, uint32_t site, const uint8_t *has)
{
	const struct profile *p = &s->profile;
	struct filtered stack = filter_stack(&s->filter, p->sites.site[site].stack);
	uint32_t frame = stack.frame;

	for (uint32_t i = 0; i < stack.count && frame; i++, frame = p->frame[frame].parent) {
		if (has[p->frame[frame].location])
			return true;
	}
	return false;
}

void grep_weights(struct report_subject *s, const char *text)
{
	const struct profile *p = &s->profile;
	uint8_t *has;

	if (!text)
		return;
	has = xcalloc((size_t)p->location_count + 1, 1);
	for (uint32_t i = 0; i < p->location_count; i++)
		has[i] = location_matches(p, i, text);
	for (uint32_t i = 0; i < p->sites.count; i++) {
		if (s->weight[i].is_there && !stack_matches(s, i, has))
			s->weight[i] = (struct weight){ .is_there = false };
	}
	free(has);
}
