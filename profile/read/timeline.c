/* timeline.c -- the memory of a process as the kernel saw it, from time to time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/timeline.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "profile/base/number.h"
#include "profile/read/counters.h"
#include "profile/read/marks.h"
#include "profile/read/site_errors.h"

enum {
	MUCH = 4 << 20,		/* bytes outside of the heap that are worth an advice */
	ROUNDING = 32		/* of a block, at most: glibc's smallest chunk, for 0 bytes. Above
				 * that it adds up to 23, and size classes 25 % of the block */
};

static uint64_t bytes_of_event(const struct counters *c)
{
	const uint64_t calls = counters_calls(c);

	return calls > 0 ? counters_heap_total(c) / calls : 0;
}

void timeline_init(struct timeline *t, const struct image *im)
{
	struct counters counters = { .calls = { 0 } };
	bool is_over;
	uint64_t ns;

	counters_add(&counters, im);

	*t = (struct timeline){ .start_ns = im->head.process.start_mono_ns,
				.rss_peak = im->head.rss_peak,
				.counts_pages = (im->head.notes & MU_NOTE_PAGES) != 0,
				.began_attached = (im->head.notes & MU_NOTE_ATTACHED) != 0,
				.event_bytes = bytes_of_event(&counters),
				.heap_peak = positive_or_zero(im->head.heap.peak),
				.sample_distance = sampled_mean_distance(im) };
	t->lacks_blocks = im->head.recorded.began_asleep ||
			  marks_paused(im, im->head.process.exit_mono_ns, &ns, &is_over) > 0;
}

/* Returns the most blocks that lived at a time, at the mean size of the site if it is not known. */
static double most_blocks(const struct mu_cell *cell)
{
	const double known = (double)(cell->live_blocks > cell->peak_blocks ? cell->live_blocks :
									      cell->peak_blocks);
	const double all = (double)cell->total_blocks;

	if (cell->total_bytes == 0)
		return all;
	return fmax(known, (double)cell->max_bytes / (double)cell->total_bytes * all);
}

static uint64_t rounding_of_blocks(const struct image *im)
{
	const double unit = im->head.sampling.log2 ? 1 << MU_SAMPLE_BLOCK_BITS : 1;
	const uint64_t cells = image_count(im, MU_SEC_CELLS);
	struct counters counters = { .calls = { 0 } };
	struct mu_cell cell;
	double blocks = 0;

	if (cells == 0) { /* a run that only counts */
		counters_add(&counters, im);
		blocks = (double)counters_calls(&counters);
	}
	for (uint64_t i = 0; i < cells; i++) {
		if (image_copy_entry(im, MU_SEC_CELLS, i, &cell, sizeof(cell)) &&
		    !(cell.flags & (MU_CELL_MASSIF | MU_CELL_ERROR)))
			blocks += most_blocks(&cell) / unit;
	}
	return (uint64_t)fmax(0, fmin(blocks * ROUNDING, (double)INT64_MAX));
}

/* Most processes need no look at all cells: their private memory is hardly more than the heap. */
static bool needs_rounding(const struct timeline *t)
{
	uint64_t heap = 0, private = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct mu_sample *s = &t->sample[i];

		heap = positive_or_zero(s->heap) > heap ? positive_or_zero(s->heap) : heap;
		private = s->rss_anon > private ? s->rss_anon : private;
	}
	return private > heap && private - heap > MUCH && private - heap > heap / 2;
}

int timeline_load(struct timeline *t, const struct image *im, struct mu_error *err)
{
	uint64_t count = image_count(im, MU_SEC_TIMELINE), last = 0;
	/* Later fields are younger than some recordings. */
	const bool is_whole = im->replaced[MU_SEC_TIMELINE].entries ||
			      im->head.table[MU_SEC_TIMELINE].entry_size >=
				      sizeof(struct mu_sample);
	const size_t known = is_whole ? sizeof(struct mu_sample) :
					offsetof(struct mu_sample, mapped);

	timeline_init(t, im);
	if (im->rss_peak > t->rss_peak)
		t->rss_peak = im->rss_peak;
	count = count < TIMELINE_MAX ? count : TIMELINE_MAX;
	t->sample = calloc(count + 1, sizeof(*t->sample));
	if (!t->sample)
		return mu_error_memory(err);
	for (uint64_t i = 0; i < count; i++) {
		struct mu_sample *to = &t->sample[t->count];

		if (!image_copy_entry(im, MU_SEC_TIMELINE, i, to, known))
			break;
		if (to->mono_ns < last)
			continue;
		last = to->mono_ns;
		t->count++;
	}
	if (needs_rounding(t))
		t->rounding = rounding_of_blocks(im);
	return 0;
}

void timeline_free(struct timeline *t)
{
	free(t->sample);
	*t = (struct timeline){ .sample = NULL };
}

/* Sums of hostile figures end at the largest number. */
static uint64_t saturating_sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

uint64_t timeline_resident(const struct mu_sample *s)
{
	return saturating_sum(saturating_sum(s->rss_anon, s->rss_file), s->rss_shmem);
}

/* As much of WANTED as is left; it is taken from LEFT. */
static uint64_t take_share(uint64_t *left, uint64_t wanted)
{
	uint64_t taken = wanted < *left ? wanted : *left;

	*left -= taken;
	return taken;
}

static uint64_t resident_of_program(const struct mu_sample *s)
{
	uint64_t anon = s->rss_anon, shmem = s->rss_shmem;

	take_share(&anon, s->recorder_anon);
	take_share(&shmem, s->recorder);
	return saturating_sum(saturating_sum(anon, s->rss_file), shmem);
}

uint32_t timeline_highest(const struct timeline *t)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < t->count; i++) {
		if (resident_of_program(&t->sample[i]) > resident_of_program(&t->sample[best]))
			best = i;
	}
	return best;
}

/* Returns about as many bytes as blocks had that were freed before the first sample: that may come
 * after thousands of events. Some were given back to the kernel. */
static uint64_t freed_at_start(const struct timeline *t)
{
	const struct mu_sample *first = &t->sample[0];
	const uint64_t heap = positive_or_zero(first->heap);
	uint64_t asked;

	if (t->began_attached)
		return 0;
	if (__builtin_mul_overflow(first->events, t->event_bytes, &asked) || asked > t->heap_peak)
		asked = t->heap_peak;
	return asked > heap ? asked - heap : 0;
}

/* Private memory at the first sample that is neither heap, its freed room, stack nor the
 * recorder's. */
static uint64_t resident_at_start(const struct timeline *t)
{
	const struct mu_sample *first = &t->sample[0];
	uint64_t left = first->rss_anon;

	take_share(&left, first->recorder_anon);
	take_share(&left, positive_or_zero(first->stack));
	take_share(&left, positive_or_zero(first->heap));
	take_share(&left, freed_at_start(t));
	return left;
}

static uint64_t highest_resident(const struct timeline *t)
{
	uint64_t highest = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t resident = timeline_resident(&t->sample[i]);

		highest = resident > highest ? resident : highest;
	}
	return highest;
}

/* The memory that malloc keeps is hardly more than the heap once was; the rest was mapped. */
static uint64_t unknown_to_malloc(const struct timeline *t, const struct memory_split *split)
{
	uint64_t highest = 0, known = saturating_sum(split->heap, split->spare), beyond;

	for (uint32_t i = 0; i < t->count; i++) {
		uint64_t heap = positive_or_zero(t->sample[i].heap);

		highest = heap > highest ? heap : highest;
	}
	if (t->counts_pages || t->lacks_blocks || known < highest ||
	    known - highest < t->rounding)
		return 0;
	beyond = known - highest - t->rounding;
	return beyond < MUCH || beyond < highest / 2 ? 0 : beyond;
}

/* Returns what of the heap is surely blocks. Mappings that -m counts may be of files or shared, and
 * their pages no private memory though all were written to. */
static uint64_t heap_of_blocks(const struct timeline *t, const struct mu_sample *s)
{
	uint64_t heap = positive_or_zero(s->heap);

	if (!t->counts_pages)
		take_share(&heap, s->mapped);
	return heap;
}

/* Returns the bytes that are surely live beyond ANON. An estimate of the heap may be too large by
 * 1.96 standard errors, of which the variance is at most heap * R (docs/format.md, section 7.4). */
static uint64_t untouched_heap(const struct timeline *t, uint64_t heap, uint64_t anon)
{
	const double r = t->sample_distance;
	const double error = r > 0 ? 1.96 * sqrt((double)heap * r) + sampled_bytes_unseen(r) : 0;
	const uint64_t beyond = heap > anon ? heap - anon : 0, doubt = (uint64_t)error;

	return beyond > doubt ? beyond - doubt : 0;
}

void timeline_split(const struct timeline *t, uint32_t i, struct memory_split *split)
{
	uint64_t anon, recorder_shared;
	const struct mu_sample *s;

	*split = (struct memory_split){ 0 };
	if (i >= t->count)
		return;
	s = &t->sample[i];
	anon = s->rss_anon;
	recorder_shared = s->recorder < s->rss_shmem ? s->recorder : s->rss_shmem;
	split->time_ns = s->mono_ns > t->start_ns ? s->mono_ns - t->start_ns : 0;
	split->resident = timeline_resident(s);
	split->recorder = saturating_sum(recorder_shared, take_share(&anon, s->recorder_anon));
	split->stacks = take_share(&anon, positive_or_zero(s->stack));
	split->globals = take_share(&anon, resident_at_start(t));
	split->heap = take_share(&anon, positive_or_zero(s->heap));
	split->spare = anon;
	split->untouched = untouched_heap(t, heap_of_blocks(t, s), split->heap);
	split->file = s->rss_file;
	split->shared = s->rss_shmem - recorder_shared;
	split->swap = s->swap;
	split->highest = highest_resident(t);
	split->counts_pages = t->counts_pages;
	split->lacks_blocks = t->lacks_blocks;
	split->began_attached = t->began_attached;
	split->sample_distance = t->sample_distance;
	split->unknown = unknown_to_malloc(t, split);
}
