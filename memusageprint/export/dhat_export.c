/* dhat_export.c -- Converts a recording to a profile of DHAT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/dhat_export.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "profile/read/accesses.h"
#include "profile/read/points.h"
#include "recording/copies.h"

/* ---- frames ------------------------------------------------------------------------------ */

/* The frames of a location; its inlined calls are frames with the same address. */
struct location_frames {
	uint32_t first;		/* index in builder->frame, + 1; 0: not made yet */
	uint32_t count;
};

struct dhat_builder {
	struct dhat *d;
	struct report_subject *s;
	const struct settings *settings;
	const struct points *points;
	double scale;		/* units of time in the file for one unit of the points */
	struct location_frames *at;	/* by location */
	uint32_t *frame;
	uint32_t frames, room;
	struct site_accesses *accesses;	/* by point; NULL: not counted */
	uint32_t *stack;	/* of the current point */
	uint32_t stack_count, stack_room;
	FILE *out;		/* a stream into text */
	char *text;
	size_t length;
};

static void append_frame_text(struct dhat_builder *m, const struct symbols_place *place)
{
	const struct settings *settings = m->settings;
	const char *const *strip = settings->fullpath_after.item;

	rewind(m->out);
	symbols_put_massif(m->out, place, strip, settings->fullpath_after.count);
	putc('\0', m->out);
	fflush(m->out);
	if (m->frames == m->room)
		m->frame = xreallocarray(m->frame, m->room = m->room ? 2 * m->room : 256,
					 sizeof(*m->frame));
	m->frame[m->frames++] = dhat_frame(m->d, m->text);
}

static const struct location_frames *get_location_frames(struct dhat_builder *m, uint32_t location)
{
	const struct profile *p = &m->s->profile;
	struct location_frames *at = &m->at[location];
	struct symbols_place place = { .address = p->location[location].pc - 1, .name = "",
				       .file = "", .object = profile_object(p, location) };
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);

	if (at->first)
		return at;
	at->first = m->frames + 1;
	at->count = count && m->settings->read_inlines == YES ? count : 1;
	for (uint32_t i = 0; i < at->count; i++) {
		if (count) {
			uint32_t name = i + 1 == at->count ? count - 1 : i;

			place.name = symbols_text(&p->symbols, level[name].name);
			/* [before the attach] is not a function. */
			if (!*place.name && p->notes & MU_NOTE_ATTACHED)
				place.name = symbols_text(&p->symbols, level[name].full);
			place.file = symbols_text(&p->symbols, level[i].file);
			place.base = level[i].base;
			place.line = level[i].line;
		}
		if (i + 1 == at->count && filter_is_below_main(&m->s->filter, location))
			place.name = "(below main)";
		append_frame_text(m, &place);
	}
	return at;
}

static uint32_t min_count(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Appends the frames of a point to m->stack, innermost first. */
static void append_stack(struct dhat_builder *m, const struct program_point *point,
			 const struct filtered *filtered)
{
	const struct profile *p = &m->s->profile;
	uint32_t whole = p->stack[p->sites.site[point->site].stack].frame;
	uint32_t dropped = p->frame[whole].depth - p->frame[filtered->frame].depth;
	uint32_t callers = m->settings->callers ? m->settings->callers - 1 : UINT32_MAX;
	uint32_t left = min_count(point->frames, callers), frame = filtered->frame;

	left = min_count(filtered->count, left > dropped ? left - dropped : 0);
	for (; left > 0 && frame; left--, frame = p->frame[frame].parent) {
		const struct location_frames *at = get_location_frames(m, p->frame[frame].location);

		if (m->stack_count + at->count > m->stack_room) {
			m->stack_room = 2 * (m->stack_count + at->count);
			m->stack = xreallocarray(m->stack, m->stack_room, sizeof(*m->stack));
		}
		memcpy(m->stack + m->stack_count, m->frame + at->first - 1,
		       at->count * sizeof(*m->stack));
		m->stack_count += at->count;
	}
}

/* ---- points ------------------------------------------------------------------------------ */

static uint64_t scale_time(const struct dhat_builder *m, uint64_t time)
{
	return m->scale == 1 ? time : (uint64_t)((double)time * m->scale);
}

static int add_heap_point(struct dhat_builder *m, uint32_t number, struct mu_error *err)
{
	const struct program_point *from = &m->points->point[number];
	const struct profile *p = &m->s->profile;
	struct filtered stack = filter_stack(&m->s->filter, p->sites.site[from->site].stack);
	const struct site_accesses *a = m->accesses ? &m->accesses[number] : NULL;
	struct dhat_stack frames = { .count = a ? a->count : NULL, .counts = a ? a->counts : 0 };
	const struct dhat_point point = {
		.total_bytes = from->total_bytes,
		.total_blocks = from->total_blocks,
		.lifetimes = scale_time(m, from->lifetimes),
		.max_bytes = from->max_bytes,
		.max_blocks = from->max_blocks,
		.peak_bytes = from->peak_bytes,
		.peak_blocks = from->peak_blocks,
		.end_bytes = from->end_bytes,
		.end_blocks = from->end_blocks,
		.read_bytes = a ? a->read_bytes : 0,
		.written_bytes = a ? a->written_bytes : 0,
	};

	if (from->total_blocks == 0 || stack.is_ignored)
		return 0;
	m->stack_count = 0;
	append_stack(m, from, &stack);
	frames.frame = m->stack;
	frames.frames = m->stack_count;
	return dhat_add(m->d, &point, &frames, err);
}

/* Sums up reads and writes, which are counted by site: several sites may share a point. */
static void load_accesses(struct dhat_builder *m)
{
	const struct points *p = m->points;
	struct accesses a;

	if (accesses_load(&a, &m->s->image, p->sites, NULL) < 0)
		xno_memory();
	m->accesses = xcalloc((size_t)p->count + 1, sizeof(*m->accesses));
	for (uint32_t i = 0; i < a.sites && i < p->sites; i++) {
		uint32_t point = p->of_site[i];

		if (point < p->count && accesses_add(&m->accesses[point], &a.site[i]) < 0)
			xno_memory();
	}
	accesses_free(&a);
	m->d->has_accesses = true;
}

/* ---- copies and events -------------------------------------------------------------------- */

static const char *const copy_names[MU_COPY_COUNT] = {
	[MU_COPY_INLINE] = "copy", [MU_COPY_MEMCPY] = "memcpy", [MU_COPY_MEMMOVE] = "memmove",
	[MU_COPY_MEMPCPY] = "mempcpy", [MU_COPY_BCOPY] = "bcopy", [MU_COPY_MEMCCPY] = "memccpy",
	[MU_COPY_STRCPY] = "strcpy", [MU_COPY_STPCPY] = "stpcpy", [MU_COPY_STRNCPY] = "strncpy",
	[MU_COPY_STPNCPY] = "stpncpy", [MU_COPY_STRLCPY] = "strlcpy", [MU_COPY_WCSCPY] = "wcscpy",
	[MU_COPY_WCPCPY] = "wcpcpy", [MU_COPY_WCSNCPY] = "wcsncpy", [MU_COPY_WCPNCPY] = "wcpncpy",
	[MU_COPY_WMEMCPY] = "wmemcpy", [MU_COPY_WMEMMOVE] = "wmemmove",
	[MU_COPY_WMEMPCPY] = "wmempcpy", [MU_COPY_STRDUP] = "strdup",
	[MU_COPY_STRNDUP] = "strndup", [MU_COPY_WCSDUP] = "wcsdup",
};

/* Returns "memcpy" of mu_site.fn; "copy" for what a compiler copied inline; "" for other sites. */
static const char *copy_function_name(uint16_t fn)
{
	return fn >= MU_FN_COPY && fn < MU_FN_COPY + MU_COPY_COUNT ? copy_names[fn - MU_FN_COPY] :
								     "";
}

/* Makes the function that copies, like memcpy, the first frame. */
static void append_copy_function(struct dhat_builder *m, uint16_t fn)
{
	char *text = xasprintf("0x%X: %s (in libmemusage_accesses.so)", fn, copy_function_name(fn));

	if (m->stack_room == 0)
		m->stack = xreallocarray(m->stack, m->stack_room = 64, sizeof(*m->stack));
	m->stack[m->stack_count++] = dhat_frame(m->d, text);
	free(text);
}

/* Adds the copies or ad hoc events of a site. */
static int add_event_point(struct dhat_builder *m, uint32_t number, bool is_copy,
			   struct mu_error *err)
{
	const struct site *site = &m->s->profile.sites.site[number];
	const uint32_t depth = m->s->recording->segment.head.config.point_depth;
	struct filtered stack = filter_stack(&m->s->filter, site->stack);
	const struct program_point point = { .site = number,
					     .frames = depth ? depth - 1 : UINT32_MAX };
	const struct dhat_point values = { .total_bytes = site->total_bytes,
					   .total_blocks = site->total_blocks };

	if (site->total_blocks == 0 || stack.is_ignored ||
	    !(is_copy ? sites_is_copy(site) : site->flags & MU_SITE_AD_HOC))
		return 0;
	m->stack_count = 0;
	if (is_copy)
		append_copy_function(m, site->fn);
	append_stack(m, &point, &stack);
	return dhat_add(m->d, &values,
			&(struct dhat_stack){ .frame = m->stack, .frames = m->stack_count }, err);
}

/* Words for the units of time, and the length of a short life in them. DHAT's is 500
 * instructions. */
static const struct time_words {
	const char *unit, *mega;
	uint64_t short_lived;
} units[] = {
	[UNIT_NS] = { "ns", "ms", 500 },
	[UNIT_MS] = { "ms", "ks", 1 },
	[UNIT_CPU] = { "ns of CPU time", "ms of CPU time", 500 },
	[UNIT_BYTES] = { "bytes allocated", "MB allocated", 1000 },
	[UNIT_BLOCKS] = { "allocations", "million allocations", 10 },
	[UNIT_INSTRUCTIONS] = { "instrs", "Minstr", 500 },
};

static void set_time_unit(struct dhat_builder *m)
{
	const struct points *p = m->points;
	enum time_unit unit = m->settings->time_unit == UNIT_MS ? UNIT_MS : UNIT_NS;

	m->scale = unit == UNIT_MS ? p->unit_ns / 1e6 : p->unit_ns;
	if (p->clock >= MU_CLOCK_CPU) {
		_Static_assert(UNIT_INSTRUCTIONS - UNIT_CPU ==
			       (int)MU_CLOCK_INSTRUCTIONS - (int)MU_CLOCK_CPU, "the same order");
		unit = UNIT_CPU + (p->clock - MU_CLOCK_CPU);
		m->scale = p->unit_ns;
	}
	m->d->short_lived = units[unit].short_lived;
	dhat_set(&m->d->time_unit, units[unit].unit);
	dhat_set(&m->d->time_mega, units[unit].mega);
	m->d->end_time = scale_time(m, p->end_time);
	m->d->peak_time = scale_time(m, p->peak_time);
}

static bool accesses_were_counted(const struct report_subject *s)
{
	return s->image.head.features & MU_FEATURE(MU_SEC_ACCESSES) &&
	       !(s->image.head.notes & MU_NOTE_NO_HOOKS);
}

static int build_profile(struct dhat_builder *m, enum dhat_mode mode)
{
	const struct points *p = m->points;
	struct mu_error err;
	int result = 0;

	if (!p->is_recorded && mode == DHAT_HEAP)
		warn("%s: was not recorded for DHAT: blocks that realloc changed belong to its "
		     "caller, lifetimes are exact to a millisecond; record it with --dhat",
		     m->s->recording->name);
	free(m->d->command);
	m->d->command = report_subject_command(m->s);
	m->d->pid = (uint64_t)m->s->pid;
	set_time_unit(m);
	if (mode == DHAT_HEAP && accesses_were_counted(m->s))
		load_accesses(m);
	for (uint32_t i = 0; mode == DHAT_HEAP && i < p->count && result == 0; i++)
		result = add_heap_point(m, i, &err);
	for (uint32_t i = 0; mode != DHAT_HEAP && i < p->sites && result == 0; i++)
		result = add_event_point(m, i, mode == DHAT_COPY, &err);
	if (result < 0)
		warn("%s: %s", m->s->recording->name, err.text);
	return result;
}

static enum dhat_mode recorded_mode(const struct report_subject *s)
{
	uint32_t flags = s->recording->segment.head.config.flags;

	return flags & MU_CFG_COPIES ? DHAT_COPY : flags & MU_CFG_AD_HOC ? DHAT_AD_HOC : DHAT_HEAP;
}

int dhat_export_load(struct dhat *d, struct report_subject *s, const struct settings *settings)
{
	enum dhat_mode mode = recorded_mode(s);
	struct points points;
	struct dhat_builder m = { .d = d, .s = s, .settings = settings, .points = &points };
	int result;

	dhat_init(d, mode);
	points_load(&points, &s->profile.sites, &s->image);
	m.at = xcalloc((size_t)s->profile.location_count + 1, sizeof(*m.at));
	m.out = xopen_memstream(&m.text, &m.length);
	result = build_profile(&m, mode);
	xclose_memstream(m.out);
	for (uint32_t i = 0; m.accesses && i < points.count; i++)
		accesses_drop(&m.accesses[i]);
	free(m.accesses);
	points_free(&points);
	free(m.at);
	free(m.frame);
	free(m.stack);
	free(m.text);
	return result;
}

int dhat_export(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct dhat d;
	int result = dhat_export_load(&d, s, settings);

	if (result == 0)
		dhat_write(out, &d);
	dhat_free(&d);
	return result;
}
