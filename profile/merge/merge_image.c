/* merge_image.c -- Writes a merge as a kept recording of one process.
 *
 * The image is made in memory in the form of a recording, and kept like any other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_image.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/save/save.h"
#include "profile/read/sites.h"

enum { SNAPSHOTS = 100, WHOLE = 40 /* first_log2 of a table that is all in extent 0 */ };

/* Growing memory; offsets in it are those of the image. */
struct blob {
	uint8_t *base;
	size_t used, room;
};

/* Returns the offset of SIZE zeroed bytes. */
static uint64_t grow_blob(struct blob *b, size_t size)
{
	const size_t at = b->used, end = at + ((size + 7) & ~(size_t)7);

	if (end > b->room) {
		const size_t room = 2 * end;

		b->base = xreallocarray(b->base, room, 1);
		memset(b->base + b->room, 0, room - b->room);
		b->room = room;
	}
	b->used = end;
	return at;
}

static struct mu_image *head_of(const struct blob *b)
{
	return (struct mu_image *)b->base;
}

static struct mu_string put_text(struct blob *b, const char *text, size_t length)
{
	const uint64_t at = grow_blob(b, length);

	memcpy(b->base + at, text, length);
	return (struct mu_string){ .offset = at, .length = (uint32_t)length };
}

/* Makes a table of COUNT zeroed entries; returns the offset of the first. */
static uint64_t begin_table(struct blob *b, enum mu_section section, size_t count, size_t size)
{
	const uint64_t at = grow_blob(b, count * size);
	struct mu_image *head = head_of(b);

	head->features |= MU_FEATURE(section);
	head->table[section] = (struct mu_table){ .entry_size = (uint32_t)size,
						  .first_log2 = WHOLE, .count = count,
						  .extent[0] = at };
	return at;
}

/* ---- places -------------------------------------------------------------------------------- */

static void put_modules(struct blob *b, const struct merge *m)
{
	const struct merge_places *p = &m->places;
	const uint64_t at = begin_table(b, MU_SEC_MODULES, p->modules, sizeof(struct mu_module));

	for (uint32_t i = 0; i < p->modules; i++) {
		const struct merge_module *from = &p->module[i];
		const char *path = strings_get(&p->texts, from->path);
		struct mu_module to = { .start = from->start, .end = from->start + from->size,
					.bias = from->start - from->low,
					.build_id_length = (uint32_t)from->id.length };

		memcpy(to.build_id, from->id.byte, from->id.length);
		to.path = put_text(b, path, strlen(path));
		memcpy(b->base + at + i * sizeof(to), &to, sizeof(to));
	}
}

static void put_frames(struct blob *b, const struct merge *m)
{
	const struct merge_places *p = &m->places;
	const uint64_t at = begin_table(b, MU_SEC_FRAMES, p->frames, sizeof(struct mu_frame));
	struct mu_frame *to = (struct mu_frame *)(b->base + at);

	for (uint32_t i = 0; i < p->frames; i++)
		to[i] = (struct mu_frame){ .pc = p->frame[i].pc, .parent = p->frame[i].parent };
}

/* Each site has a stack of its own, as in the recorder's tables. */
static void put_sites(struct blob *b, const struct merge *m)
{
	const struct merge_places *p = &m->places;
	const uint64_t stacks = begin_table(b, MU_SEC_STACKS, p->sites, sizeof(struct mu_stack));
	const uint64_t sites = begin_table(b, MU_SEC_SITES, p->sites, sizeof(struct mu_site));
	struct mu_stack *stack = (struct mu_stack *)(b->base + stacks);
	struct mu_site *site = (struct mu_site *)(b->base + sites);

	for (uint32_t i = 0; i < p->sites; i++) {
		stack[i] = (struct mu_stack){ .hash = i + 1, .frame = p->site[i].frame,
					      .flags = p->site[i].stack_flags };
		site[i] = (struct mu_site){ .stack = i, .fn = p->site[i].fn,
					    .flags = p->site[i].flags,
					    .label = p->site[i].label };
	}
}

/* The peak counts of a cell whose epoch is the heap's. Its life is less what its live blocks have
 * until the end. */
static struct mu_cell make_cell(const struct merge *m, uint32_t number)
{
	const struct merge_site *from = &m->places.site[number];
	const uint64_t unit = m->sample_log2 ? 1 << MU_SAMPLE_BLOCK_BITS : 1;
	const uint64_t end = (uint64_t)((double)(m->curve.end_ns - m->curve.start_ns) /
					SITES_TICK_NS);
	struct mu_cell cell = {
		.live_bytes = from->live_bytes,
		.live_blocks = (int64_t)((uint64_t)from->live_blocks * unit),
		.total_bytes = from->total_bytes,
		.total_blocks = from->total_blocks * unit,
		.life = (int64_t)(((uint64_t)from->life - (uint64_t)from->live_blocks * end) *
				  unit),
		.max_bytes = from->max_bytes, .temporary = from->temporary * unit,
		.epoch = 1, .site = number,
		.peak_bytes = from->peak_bytes, .peak_blocks = from->peak_blocks * unit };

	memcpy(cell.size_class, from->size_class, sizeof(cell.size_class));
	return cell;
}

static struct mu_error_cell make_error_cell(const struct site_errors *e, uint32_t number)
{
	const double unit = MU_SAMPLE_VARIANCE_UNIT, blocks = MU_SAMPLE_BLOCK_VARIANCE_UNIT;

	return (struct mu_error_cell){
		.live_samples = (int64_t)e->live.samples,
		.live_exact_bytes = (int64_t)e->live.exact_bytes,
		.live_exact_blocks = (int64_t)e->live.exact_blocks,
		.live_variance = (int64_t)(e->live.variance / unit),
		.live_block_variance = (int64_t)(e->live.block_variance / blocks),
		.total_samples = (uint64_t)e->total.samples,
		.total_exact_bytes = (uint64_t)e->total.exact_bytes,
		.total_exact_blocks = (uint64_t)e->total.exact_blocks,
		.total_variance = (uint64_t)(e->total.variance / unit),
		.total_block_variance = (uint64_t)(e->total.block_variance / blocks),
		.peak_samples = (int32_t)e->peak.samples,
		.peak_exact_bytes = (int64_t)e->peak.exact_bytes,
		.peak_exact_blocks = (int64_t)e->peak.exact_blocks,
		.peak_variance = (int64_t)(e->peak.variance / unit),
		.peak_block_variance = (int64_t)(e->peak.block_variance / blocks),
		.epoch = 1, .site = number, .flags = MU_CELL_ERROR };
}

static void put_cells(struct blob *b, const struct merge *m)
{
	const uint32_t sites = m->places.sites;
	uint32_t errors = 0, next = sites;
	struct mu_cell *cell;
	uint64_t at;

	for (uint32_t i = 0; m->error && i < sites; i++)
		errors += m->error[i].total.is_sampled;
	at = begin_table(b, MU_SEC_CELLS, (size_t)sites + errors, sizeof(*cell));
	cell = (struct mu_cell *)(b->base + at);
	for (uint32_t i = 0; i < sites; i++) {
		cell[i] = make_cell(m, i);
		if (m->error && m->error[i].total.is_sampled) {
			const struct mu_error_cell error = make_error_cell(&m->error[i], i);

			memcpy(&cell[next++], &error, sizeof(error));
		}
	}
}

/* ---- time ---------------------------------------------------------------------------------- */

/* MOMENT: one of the course; MERGE_MOMENTS: that of the peak. */
static struct mu_site_value value_at(const struct merge *m, uint32_t site, uint32_t moment)
{
	const struct merge_site *at_peak = &m->places.site[site];
	const struct merge_place_course *c = &m->course.place[site];

	return (struct mu_site_value){
		.site = site,
		.bytes = moment == MERGE_MOMENTS ? at_peak->peak_bytes : c->bytes[moment],
		.blocks = moment == MERGE_MOMENTS ? at_peak->peak_blocks : c->blocks[moment] };
}

static void put_values(struct blob *b, const struct merge *m, struct mu_snapshot *shot,
		       uint32_t moment)
{
	const uint32_t sites = m->places.sites;
	uint64_t count = 0, next;

	for (uint32_t i = 0; i < sites; i++) {
		const struct mu_site_value v = value_at(m, i, moment);

		count += v.bytes != 0 || v.blocks != 0;
	}
	shot->sites = sites;
	if (count == 0)
		return;
	next = shot->values = grow_blob(b, count * sizeof(struct mu_site_value));
	shot->value_count = count;
	for (uint32_t i = 0; i < sites; i++) {
		const struct mu_site_value v = value_at(m, i, moment);

		if (v.bytes == 0 && v.blocks == 0)
			continue;
		memcpy(b->base + next, &v, sizeof(v));
		next += sizeof(v);
	}
}

static uint32_t tick_at(const struct merge *m, uint64_t ns)
{
	const double tick = (double)(ns - m->curve.start_ns) / SITES_TICK_NS;

	return tick < UINT32_MAX ? (uint32_t)tick : UINT32_MAX;
}

/* Adds a snapshot behind those that are not later. */
static void insert_snapshot(struct mu_snapshot *list, uint32_t *count,
			    const struct mu_snapshot *shot)
{
	uint32_t at = (*count)++;

	for (; at > 0 && list[at - 1].mono_ns > shot->mono_ns; at--)
		list[at] = list[at - 1];
	list[at] = *shot;
}

/* The moments of which places are known, so that reports have bands and growth. */
static void insert_moments(struct blob *b, const struct merge *m, struct mu_snapshot *list,
			   uint32_t *count)
{
	struct mu_snapshot peak = { .mono_ns = m->curve.peak_ns, .heap = m->peak,
				    .kind = MU_SNAPSHOT_PEAK,
				    .tick = tick_at(m, m->curve.peak_ns) };

	for (uint32_t i = 0; i < MERGE_MOMENTS && m->course.places > 0; i++) {
		const int64_t sum = merge_course_sum(&m->course, i);
		struct mu_snapshot shot = { .mono_ns = m->course.ns[i],
					    .heap = sum < m->peak ? sum : m->peak,
					    .kind = MU_SNAPSHOT_NORMAL,
					    .tick = tick_at(m, m->course.ns[i]) };

		put_values(b, m, &shot, i);
		insert_snapshot(list, count, &shot);
	}
	put_values(b, m, &peak, MERGE_MOMENTS);
	insert_snapshot(list, count, &peak);
}

/* The most of each part of the time, at its end, and in between moments with places. The first one
 * is of an empty heap, as everywhere. */
static void put_snapshots(struct blob *b, const struct merge *m)
{
	const struct merge_curve *c = &m->curve;
	const uint64_t whole = c->end_ns - c->start_ns;
	struct mu_snapshot list[SNAPSHOTS + MERGE_MOMENTS + 2] = { { .mono_ns = c->start_ns } };
	uint32_t *all = xcalloc((size_t)m->processes + 1, sizeof(*all)), count = 1;
	int64_t part[SNAPSHOTS];
	uint64_t at;

	merge_curve_parts(c, m->processes, all, 1, part, SNAPSHOTS);
	free(all);
	for (uint32_t i = 0; i < SNAPSHOTS; i++) {
		const uint64_t ns = c->start_ns + (uint64_t)((double)whole * (i + 1) / SNAPSHOTS);
		const struct mu_snapshot shot = { .mono_ns = ns, .tick = tick_at(m, ns),
						  .heap = part[i] < m->peak ? part[i] : m->peak,
						  .kind = MU_SNAPSHOT_NORMAL };

		insert_snapshot(list, &count, &shot);
	}
	insert_moments(b, m, list, &count);
	at = begin_table(b, MU_SEC_SNAPSHOTS, count, sizeof(*list));
	memcpy(b->base + at, list, count * sizeof(*list));
}

static void put_timeline(struct blob *b, const struct merge *m)
{
	uint64_t at;

	if (m->rss_peak == 0)
		return;
	at = begin_table(b, MU_SEC_TIMELINE, MERGE_SAMPLES, sizeof(struct mu_sample));
	memcpy(b->base + at, m->sample, sizeof(m->sample));
	head_of(b)->rss_peak = m->rss_peak;
}

/* ---- the process --------------------------------------------------------------------------- */

static void put_counters(struct blob *b, const struct merge *m)
{
	const struct counters *c = &m->counters;
	const uint64_t high = grow_blob(b, MU_HIST_HIGH * sizeof(uint64_t));
	struct mu_counters *to = &head_of(b)->retired;

	memcpy(to->calls, c->calls, sizeof(to->calls));
	memcpy(to->bytes, c->bytes, sizeof(to->bytes));
	memcpy(to->failed, c->failed, sizeof(to->failed));
	to->realloc_nomove = c->realloc_nomove;
	to->realloc_dec = c->realloc_dec;
	to->realloc_free = c->realloc_free;
	to->mremap_nomove = c->mremap_nomove;
	to->mremap_dec = c->mremap_dec;
	to->unknown_frees = c->unknown_frees;
	to->nested = c->nested;
	to->requests = c->requests;
	to->request_errors = c->request_errors;
	to->request_nested = c->request_nested;
	to->paused_calls = c->paused_calls;
	to->paused_bytes = c->paused_bytes;
	to->hist_large = c->hist_large;
	memcpy(to->hist_low, c->hist, sizeof(to->hist_low));
	memcpy(b->base + high, c->hist + MU_HIST_LOW, MU_HIST_HIGH * sizeof(uint64_t));
	to->hist_high = high;
}

static void put_lifetimes(struct blob *b, const struct merge *m)
{
	const uint64_t at = grow_blob(b, sizeof(struct mu_lifetimes));
	struct mu_lifetimes *to = (struct mu_lifetimes *)(b->base + at);

	memcpy(to->blocks, m->lifetimes, sizeof(to->blocks));
	head_of(b)->lifetimes = at;
}

static void put_labels(struct blob *b, const struct merge *m)
{
	const struct merge_labels *l = &m->places.labels;
	uint64_t length, at;

	head_of(b)->labels_dropped = l->dropped;
	if (!l->sets)
		return;
	length = offsetof(struct mu_labels, text) + l->sets->used;
	at = grow_blob(b, length);
	memcpy(b->base + at, l->sets, length);
	head_of(b)->labels = at;
}

/* "8 processes of prog": no shell takes that for a command. */
static void put_process(struct blob *b, const struct merge *m)
{
	const char *name = merge_text(m, m->process[0].name);
	struct mu_process process = { .exit = MU_EXIT_NORMAL,
				      .start_mono_ns = m->curve.start_ns,
				      .exit_mono_ns = m->curve.end_ns };
	bool are_same = true;
	char *text;

	for (uint32_t i = 1; i < m->processes; i++)
		are_same &= m->process[i].name == m->process[0].name;
	text = xasprintf("(%u process%s of %s%s)", m->processes, m->processes == 1 ? "" : "es",
			 name, are_same ? "" : " and others");
	process.exe = put_text(b, m->exe, strlen(m->exe));
	process.cmdline = put_text(b, text, strlen(text) + 1);
	head_of(b)->process = process;
	free(text);
}

static void put_heap(struct blob *b, const struct merge *m)
{
	/* The ends together may be above the peak: docs/format.md, section 4. */
	head_of(b)->heap = (struct mu_heap){ .now = m->live, .peak = m->peak, .epoch = 1,
					     .threads_max = 1 };
}

static void make_image(struct blob *b, const struct merge *m)
{
	grow_blob(b, sizeof(struct mu_image));
	*head_of(b) = (struct mu_image){
		.magic = MU_IMAGE_MAGIC, .version = MU_VERSION,
		.header_size = sizeof(struct mu_image),
		.features = MU_FEATURE(MU_SEC_PROCESS) | MU_FEATURE(MU_SEC_COUNTERS) |
			    MU_FEATURE(MU_SEC_DROPS),
		.notes = m->notes | (m->uncounted_forks ? MU_NOTE_COUNTED_AGAIN : 0u),
		.events_seen = 1,
		.sampling = m->sampling };
	head_of(b)->sampling.log2 = head_of(b)->sampling.first_log2 = m->sample_log2;
	put_process(b, m);
	put_heap(b, m);
	put_counters(b, m);
	put_lifetimes(b, m);
	put_labels(b, m);
	put_modules(b, m);
	put_frames(b, m);
	put_sites(b, m);
	put_cells(b, m);
	put_snapshots(b, m);
	put_timeline(b, m);
	head_of(b)->used = head_of(b)->populated = head_of(b)->capacity = b->used;
}

static struct mu_segment make_segment_head(const struct merge *m)
{
	struct mu_segment head = { .start_mono_ns = m->curve.start_ns,
				   .start_real_ns = m->curve.start_ns, .config = m->config };

	head.config.flags &= ~(uint32_t)(MU_CFG_SAMPLE | MU_CFG_DURABLE);
	if (m->sample_log2)
		head.config.flags |= MU_CFG_SAMPLE;
	return head;
}

int merge_image_write(const struct merge *m, int fd, struct mu_error *err)
{
	const struct mu_segment head = make_segment_head(m);
	const struct mu_slot slot = { .claimed_ns = 1 };
	struct blob b = { .base = NULL };
	struct save k = { .fd = -1 };
	struct image im;
	int result;

	make_image(&b, m);
	result = image_load(&im, b.base, b.used, NULL, err);
	if (result == 0)
		result = save_begin(&k, fd, &head, err);
	if (result == 0)
		result = save_add(&k, &im, &slot, err);
	save_end(&k);
	free(b.base);
	return result;
}
