/* places.c -- The names of all places of a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/layout.h"
#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusageprint/job/place_names.h"
#include "memusageprint/live/rows.h"
#include "memusageprint/text/frame_text.h"

static uint64_t table_entries(const struct image *im)
{
	static const enum mu_section grows[] = { MU_SEC_MODULES, MU_SEC_FRAMES, MU_SEC_STACKS,
						 MU_SEC_SITES };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(grows) / sizeof(*grows); i++)
		sum += image_count(im, grows[i]);
	return sum;
}

/* The stacks whose innermost frames are places. */
static void prepare_stacks(struct places *p, const struct settings *settings)
{
	const struct filter_options o = settings_filter(settings);

	filter_init(&p->filter, &p->profile, &o);
	p->stacks = &p->filter;
	if (settings->runtime_frames == RUNTIME_SHOW)
		return;
	p->stacks = &p->program.filter;
	program_stacks_init(&p->program, &p->filter, &o);
}

/* Names keep their numbers. */
static void forget_profile(struct places *p)
{
	program_stacks_free(&p->program);
	if (p->filter.profile)
		filter_free(&p->filter);
	profile_free(&p->profile);
	for (int group = 0; group <= TOP_BY_OBJECT; group++) {
		free(p->key[group]);
		p->key[group] = NULL;
	}
	p->program = (struct program_stacks){ .filter = { .profile = NULL } };
	p->filter = (struct filter){ .profile = NULL };
	p->is_loaded = false;
}

int places_update(struct places *p, const struct segment *segment, const struct image *im,
		  const struct settings *o, struct mu_error *err)
{
	const uint64_t tables = table_entries(im), start = im->head.process.start_mono_ns;

	if (p->is_loaded && p->tables == tables && p->start_ns == start)
		return 0;
	forget_profile(p);
	profile_load(&p->profile, im);
	modules_follow_links(&p->profile.modules);
	if (place_names_resolve(&p->profile, segment, im, (pid_t)im->head.process.pid, o, false,
				err) < 0)
		return -1;
	prepare_stacks(p, o);
	p->tables = tables;
	p->start_ns = start;
	p->is_loaded = true;
	p->loads++;
	return 0;
}

/* Removes the marks of cli/layout.h, but for the one before a source line. */
static size_t simplify_marks(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		if (*at == *LAYOUT_FRAME_LINE)
			*to++ = LIVE_NAME_PARTS;
		else if (*at != *LAYOUT_FRAME && *at != *LAYOUT_FRAME_END)
			*to++ = *at;
	}
	*to = '\0';
	return (size_t)(to - text);
}

uint32_t places_name(struct places *p, const struct position *at, enum top_kind group)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);
	uint32_t key;

	frame_text_put_place(out, p->stacks->profile, at, group);
	xclose_memstream(out);
	key = strings_add(&p->names, text, simplify_marks(text));
	free(text);
	return key;
}

const uint32_t *places_keys(struct places *p, enum top_kind group)
{
	const struct sites *sites = &p->profile.sites;

	if (p->key[group])
		return p->key[group];
	p->key[group] = xcalloc((size_t)sites->count + 1, sizeof(**p->key));
	for (uint32_t i = 0; i < sites->count; i++) {
		struct filtered stack = filter_stack(p->stacks, sites->site[i].stack);
		struct position at;

		if (!sites_is_counted(&sites->site[i]) || stack.is_ignored)
			continue;
		at = position_innermost(&stack);
		p->key[group][i] = places_name(p, &at, group);
	}
	return p->key[group];
}

void places_free(struct places *p)
{
	forget_profile(p);
	strings_free(&p->names);
	*p = (struct places){ .is_loaded = false };
}
