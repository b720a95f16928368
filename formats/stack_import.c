/* stack_import.c -- The stacks of a massif.out, of DHAT's or pprof's profile as a struct profile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/stack_import.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/massif_convert.h"
#include "profile/base/array.h"

#define NONE UINT32_MAX

/* ---- texts --------------------------------------------------------------------------------- */

static uint32_t number_of_text(struct stack_import *s, const char *text, int length)
{
	return length > 0 ? strings_add(&s->profile.symbols.strings, text, (size_t)length) : 0;
}

static uint32_t module_of_path(struct stack_import *s, const char *path, int length)
{
	struct modules *m = &s->profile.modules;
	uint32_t number = length > 0 ? strings_add(&s->objects, path, (size_t)length) : 0;

	if (number == 0 || number <= m->count)
		return number ? number - 1 : MODULES_NONE;
	array_reserve(&m->module, &s->module_room, (size_t)m->count + 1, sizeof(*m->module));
	m->module[m->count] = (struct module){ .path = xstrndup(path, (size_t)length) };
	return m->count++;
}

/* "in 12 places, all below massif's threshold (1.00%)" */
static bool is_merged_text(const char *text)
{
	text += strspn(text, " ");
	return strncmp(text, "in ", 3) == 0 && text[3] >= '0' && text[3] <= '9' &&
	       strstr(text, "below");
}

static void import_text(struct stack_import *s, uint32_t number, const char *text)
{
	const struct massif_place place = massif_place(text);
	struct symbols *symbols = &s->profile.symbols;
	struct symbols_level level = {
		.full = is_merged_text(text) ?
				STACK_IMPORT_MERGED :
				number_of_text(s, place.function, place.function_length),
		.file = number_of_text(s, place.file, place.file_length),
		.line = place.line,
	};

	level.name = level.full;
	s->profile.location[number] = (struct location){
		.pc = place.address + 1, .request = number,
		.module = module_of_path(s, place.object, place.object_length) };
	if (!level.full)
		return;
	symbols->symbol[number] = (struct symbol){ .first = symbols->level_count, .count = 1 };
	symbols->level[symbols->level_count++] = level;
}

/* Makes room for so many texts, whose numbers are from 1 on, and for the root frame. */
static void init_profile(struct stack_import *s, uint32_t texts)
{
	static const char merged[] = STACK_IMPORT_MERGED_TEXT;
	struct profile *p = &s->profile;
	const size_t room = (size_t)texts + 1;

	*s = (struct stack_import){ .frame_room = 0 };
	p->location = xcalloc(room, sizeof(*p->location));
	p->symbols.symbol = xcalloc(room, sizeof(*p->symbols.symbol));
	p->symbols.level = xcalloc(room, sizeof(*p->symbols.level));
	/* The first text: STACK_IMPORT_MERGED. */
	strings_add(&p->symbols.strings, merged, strlen(merged));
	array_reserve(&p->frame, &s->frame_room, 1, sizeof(*p->frame));
	p->location_count = texts + 1;
	p->symbols.count = room;
	p->frame[0] = (struct profile_frame){ .parent = 0 };
	p->frame_count = 1;
	p->location[0].module = MODULES_NONE;
}

/* ---- frames and sites ---------------------------------------------------------------------- */

static int refuse_stacks(struct mu_error *err)
{
	return mu_error_set(err, MU_ERROR_FORMAT, 0,
			    "has more than %d different call stacks or callers", STACK_IMPORT_MAX);
}

/* Returns the frame of a location that a frame called; NONE beyond the limit. */
static uint32_t frame_of_call(struct stack_import *s, uint32_t caller, uint32_t location)
{
	struct profile *p = &s->profile;
	uint32_t number = triples_add(&s->frames, caller, location, 0);

	if (number + 1 < p->frame_count)
		return number + 1;
	if (p->frame_count > STACK_IMPORT_MAX)
		return NONE;
	array_reserve(&p->frame, &s->frame_room, (size_t)p->frame_count + 1, sizeof(*p->frame));
	p->frame[p->frame_count] = (struct profile_frame){
		.parent = caller, .location = location, .depth = p->frame[caller].depth + 1 };
	return p->frame_count++;
}

/* Returns a new site for the stack that begins at a frame; NONE likewise. */
static uint32_t append_site(struct stack_import *s, uint32_t frame)
{
	struct profile *p = &s->profile;
	uint32_t room = s->site_room;

	if (p->sites.count >= STACK_IMPORT_MAX)
		return NONE;
	array_reserve(&p->stack, &room, (size_t)p->sites.count + 1, sizeof(*p->stack));
	array_reserve(&p->sites.site, &s->site_room, (size_t)p->sites.count + 1,
		      sizeof(*p->sites.site));
	p->stack[p->sites.count] = (struct profile_stack){ .frame = frame };
	p->sites.site[p->sites.count] = (struct site){ .stack = p->sites.count,
						       .total_blocks = 1 };
	p->stack_count++;
	return p->sites.count++;
}

/* Returns the site of a stack, which is added if it is new; NONE likewise. */
static uint32_t site_of_frame(struct stack_import *s, uint32_t frame)
{
	uint32_t before = s->site_of_room, site;

	array_reserve(&s->site, &s->site_of_room, (size_t)frame + 1, sizeof(*s->site));
	memset(s->site + before, 0, (s->site_of_room - before) * sizeof(*s->site));
	if (s->site[frame])
		return s->site[frame] - 1;
	site = append_site(s, frame);
	if (site != NONE)
		s->site[frame] = site + 1;
	return site;
}

/* ---- a massif.out -------------------------------------------------------------------------- */

struct snapshot_import {
	struct stack_import *s;
	stack_import_fn fn;
	void *data;
	bool has_failed;
};

static void import_stack(void *data, const struct massif_node *const *path, size_t count,
			 uint64_t bytes)
{
	struct snapshot_import *i = data;
	uint32_t frame = 0, site;

	while (count-- > 0 && frame != NONE)
		frame = frame_of_call(i->s, frame, path[count]->text);
	site = frame == NONE ? NONE : site_of_frame(i->s, frame);
	if (site == NONE)
		i->has_failed = true;
	else if (i->fn)
		i->fn(i->data, site, bytes);
}

void stack_import_snapshot(struct stack_import *s, const struct massif_file *m,
			   const struct massif_snapshot *snapshot, stack_import_fn fn, void *data)
{
	struct snapshot_import i = { .s = s, .fn = fn, .data = data };

	if (snapshot->node_count)
		massif_stacks(m, snapshot, import_stack, &i);
}

int stack_import_massif(struct stack_import *s, const struct massif_file *m,
			const struct filter_options *o, struct mu_error *err)
{
	struct snapshot_import i = { .s = s };

	init_profile(s, m->texts.count);
	for (uint32_t k = 1; k <= m->texts.count; k++)
		import_text(s, k, strings_get(&m->texts, k));
	for (size_t k = 0; k < m->count && !i.has_failed; k++)
		if (m->snapshots[k].node_count)
			massif_stacks(m, &m->snapshots[k], import_stack, &i);
	if (i.has_failed)
		return refuse_stacks(err);
	filter_init(&s->filter, &s->profile, o);
	return 0;
}

static void add_site_weight(void *data, uint32_t site, uint64_t bytes)
{
	struct weight *weight = data;
	int64_t more = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX;

	weight[site].is_there = true;
	if (__builtin_add_overflow(weight[site].bytes, more, &weight[site].bytes))
		weight[site].bytes = INT64_MAX;
}

void stack_import_weigh_snapshot(struct stack_import *s, const struct massif_file *m,
				 const struct massif_snapshot *snapshot, struct weight *weight)
{
	memset(weight, 0, s->profile.sites.count * sizeof(*weight));
	stack_import_snapshot(s, m, snapshot, add_site_weight, weight);
}

/* ---- a profile of DHAT --------------------------------------------------------------------- */

int stack_import_dhat(struct stack_import *s, const struct dhat *d,
		      const struct filter_options *o, struct mu_error *err)
{
	init_profile(s, d->frame.count);
	for (uint32_t k = 1; k <= d->frame.count; k++)
		import_text(s, k, dhat_text(d, k));
	for (uint32_t i = 0; i < d->count; i++) {
		const struct dhat_point *point = &d->point[i];
		uint32_t frame = 0;

		for (uint32_t k = point->frames; k-- > 0 && frame != NONE;) {
			uint32_t text = d->stacked[point->first_frame + k];

			frame = text ? frame_of_call(s, frame, text) : frame;
		}
		if (frame == NONE || append_site(s, frame) == NONE)
			return refuse_stacks(err);
	}
	filter_init(&s->filter, &s->profile, o);
	return 0;
}

void stack_import_weigh_points(const struct dhat *d, enum metric_kind kind, struct weight *weight)
{
	for (uint32_t i = 0; i < d->count; i++) {
		const struct dhat_point *p = &d->point[i];
		uint64_t bytes = kind == METRIC_PEAK ? p->peak_bytes :
				 kind == METRIC_LIVE ? p->end_bytes : p->total_bytes;
		uint64_t blocks = kind == METRIC_PEAK ? p->peak_blocks :
				  kind == METRIC_LIVE ? p->end_blocks : p->total_blocks;

		weight[i] = (struct weight){
			.bytes = bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX,
			.blocks = blocks < INT64_MAX ? (int64_t)blocks : INT64_MAX,
			.is_there = true };
	}
}

/* ---- a profile of pprof -------------------------------------------------------------------- */

static uint32_t number_of_pprof_text(struct stack_import *s, const struct pprof_file *p,
				     uint64_t number)
{
	size_t length;
	const char *text = pprof_text(p, number, &length);

	return length > 0 && !memchr(text, '\0', length) ?
		       strings_add(&s->profile.symbols.strings, text, length) : 0;
}

/* The first mapping is that of the program: others have a higher rank. */
static uint32_t module_of_mapping(struct stack_import *s, const struct pprof_file *p, uint64_t id)
{
	const struct pprof_mapping *m = pprof_find_mapping(p, id);
	size_t length = 0;
	const char *path = m ? pprof_text(p, m->file, &length) : "";
	uint32_t module;

	if (length >= INT_MAX || memchr(path, '\0', length))
		return MODULES_NONE;
	module = module_of_path(s, path, (int)length);
	if (module != MODULES_NONE && s->profile.modules.module[module].rank == 0)
		s->profile.modules.module[module].rank = (uint32_t)(m - p->mapping) + 1;
	return module;
}

/* Lines of a location follow each other in one array of the file, so levels fit into as many. */
static void import_location(struct stack_import *s, const struct pprof_file *p, uint32_t i)
{
	const struct pprof_location *l = &p->location[i];
	struct symbols *symbols = &s->profile.symbols;
	struct symbol *symbol = &symbols->symbol[i + 1];

	s->profile.location[i + 1] = (struct location){
		.pc = l->address + 1, .request = i + 1,
		.module = module_of_mapping(s, p, l->mapping) };
	symbol->first = symbols->level_count;
	for (uint32_t k = 0; k < l->lines; k++) {
		const struct pprof_line *line = &p->line[l->first_line + k];
		const struct pprof_function *f = pprof_find_function(p, line->function);
		struct symbols_level level = { .line = line->line };

		level.full = level.name = f ? number_of_pprof_text(s, p, f->name) : 0;
		level.file = f ? number_of_pprof_text(s, p, f->file) : 0;
		if (level.full)
			symbols->level[symbols->level_count++] = level;
	}
	symbol->count = symbols->level_count - symbol->first;
}

static uint32_t frame_of_sample(struct stack_import *s, const struct pprof_file *p,
				const struct pprof_sample *sample)
{
	uint32_t frame = 0;

	for (uint32_t k = sample->locations; k-- > 0 && frame != NONE;) {
		const struct pprof_location *l = pprof_find_location(p,
								     p->stacked[sample->first + k]);

		if (l && s->profile.frame[frame].depth < PROFILE_DEPTH_MAX)
			frame = frame_of_call(s, frame, (uint32_t)(l - p->location) + 1);
	}
	return frame;
}

int stack_import_pprof(struct stack_import *s, const struct pprof_file *p,
		       const struct filter_options *o, struct mu_error *err)
{
	struct symbols *symbols = &s->profile.symbols;

	init_profile(s, p->locations);
	symbols->level = xreallocarray(symbols->level, (size_t)p->lines + 1,
				       sizeof(*symbols->level));
	for (uint32_t i = 0; i < p->locations; i++)
		import_location(s, p, i);
	for (uint32_t i = 0; i < p->samples; i++) {
		const uint32_t frame = frame_of_sample(s, p, &p->sample[i]);

		if (frame == NONE || append_site(s, frame) == NONE)
			return refuse_stacks(err);
	}
	filter_init(&s->filter, &s->profile, o);
	return 0;
}

void stack_import_weigh_samples(const struct pprof_file *p, enum metric_kind kind,
				struct weight *weight)
{
	const enum pprof_value blocks = kind == METRIC_PEAK ? PPROF_PEAK_BLOCKS :
					kind == METRIC_LIVE ? PPROF_END_BLOCKS : PPROF_TOTAL_BLOCKS;

	for (uint32_t i = 0; i < p->samples; i++) {
		const int64_t *value = p->sample[i].value;

		weight[i] = (struct weight){ .bytes = value[blocks + 1], .blocks = value[blocks],
					     .is_there = true };
	}
}

/* ---- all ----------------------------------------------------------------------------------- */

const struct filter *stack_import_filter(struct stack_import *s, bool hides_runtime,
					 const struct filter_options *o)
{
	if (!hides_runtime)
		return &s->filter;
	program_stacks_init(&s->program, &s->filter, o);
	return &s->program.filter;
}

void stack_import_free(struct stack_import *s)
{
	program_stacks_free(&s->program);
	filter_free(&s->filter);
	profile_free(&s->profile);
	triples_free(&s->frames);
	strings_free(&s->objects);
	free(s->site);
	*s = (struct stack_import){ .frame_room = 0 };
}
