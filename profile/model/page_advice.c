/* page_advice.c -- What would make the resident heap smaller, judged by its figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/page_advice.h"

#include <stdlib.h>

enum {
	LEAST = 1 << 20, /* less is not worth a change of the program */
	LEAST_PART = 10, /* ... nor is less than one part in so many of the heap */
	SMALL = 24,	 /* bytes: a block of glibc takes 32 at least, of which it gives 24 */
	POOL_RATIO = 3,	 /* a place that keeps so many times its own bytes resident */
	LARGE = 128 << 10 /* bytes: the least that glibc ever maps for itself */
};

static uint64_t resident_heap(const struct mu_pages *h)
{
	return h->part[MU_PAGES_LIVE] + h->part[MU_PAGES_SLACK] + h->part[MU_PAGES_FREE];
}

/* Sums of a damaged recording may wrap, which makes wrong advice, and nothing worse. */
static uint64_t sum_of_heaps(const struct pages *p, enum mu_heap_kind kind, bool with_slack)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < p->head->heaps; i++) {
		const struct mu_heap_part *heap = &p->heap[i];

		if (heap->kind == (uint32_t)kind)
			bytes += heap->part[MU_PAGES_FREE] +
				 (with_slack ? heap->part[MU_PAGES_SLACK] : 0);
	}
	return bytes;
}

static uint32_t count_heaps(const struct pages *p, enum mu_heap_kind kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->head->heaps; i++)
		count += p->heap[i].kind == (uint32_t)kind;
	return count;
}

static bool has_glibc_heap(const struct pages *p)
{
	return count_heaps(p, MU_HEAP_MAIN) + count_heaps(p, MU_HEAP_ARENA) > 0 &&
	       sum_of_heaps(p, MU_HEAP_OTHER, true) < resident_heap(p->head) / 2;
}

/* Free pages behind the last block go back without a request; all others only on request. */
static uint64_t gain_of_trim(const struct pages *p)
{
	return has_glibc_heap(p) ? sum_of_heaps(p, MU_HEAP_MAIN, false) +
					   sum_of_heaps(p, MU_HEAP_ARENA, false) : 0;
}

static uint64_t gain_of_arenas(const struct pages *p)
{
	return count_heaps(p, MU_HEAP_ARENA) >= 2 ? sum_of_heaps(p, MU_HEAP_ARENA, true) : 0;
}

/* glibc raises its threshold to the size of each mapped block that is freed, up to 32 MiB. So large
 * blocks come to be in the heap, where a small one behind them keeps their pages. */
static uint64_t gain_of_threshold(const struct pages *p, uint64_t large_freed)
{
	uint64_t free = has_glibc_heap(p) ? sum_of_heaps(p, MU_HEAP_MAIN, false) : 0;

	return large_freed < free / 4 ? 0 : large_freed < free ? large_freed : free;
}

/* Finds the place that keeps most for what it holds: slack, and all pages up to its last block. */
static uint64_t gain_of_pool(const struct page_places *places, uint32_t *place)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < places->count; i++) {
		const struct resident_place *l = &places->place[i];
		const uint64_t kept = l->share > l->held ? l->share : l->held;

		if (l->place == PAGE_PLACES_OTHER || kept <= most ||
		    kept / POOL_RATIO < l->resident ||
		    (l->blocks > 0 && l->resident / l->blocks < SMALL))
			continue;
		most = kept;
		*place = i;
	}
	return most;
}

static uint64_t gain_of_allocator(const struct pages *p)
{
	uint64_t blocks = 0, bytes = 0;

	for (uint32_t i = 0; i < p->head->sites; i++) {
		blocks += p->site[i].blocks;
		bytes += p->site[i].resident;
	}
	if (blocks == 0 || bytes / blocks >= SMALL || p->head->part[MU_PAGES_SLACK] < bytes / 2 ||
	    !has_glibc_heap(p))
		return 0;
	return p->head->part[MU_PAGES_SLACK];
}

static int compare_gains(const void *a, const void *b)
{
	const struct page_advice *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

unsigned int page_advice_find(struct page_advice advice[PAGE_ADVICE_KINDS], const struct pages *p,
			      const struct page_places *places, uint64_t large_freed)
{
	uint32_t pool = 0;
	const struct page_advice all[PAGE_ADVICE_KINDS] = {
		{ .kind = PAGE_ADVICE_TRIM, .bytes = gain_of_trim(p) },
		{ .kind = PAGE_ADVICE_ARENAS, .bytes = gain_of_arenas(p) },
		{ .kind = PAGE_ADVICE_THRESHOLD, .bytes = gain_of_threshold(p, large_freed) },
		{ .kind = PAGE_ADVICE_POOL, .bytes = gain_of_pool(places, &pool) },
		{ .kind = PAGE_ADVICE_ALLOCATOR, .bytes = gain_of_allocator(p) },
	};
	unsigned int count = 0;

	for (unsigned int i = 0; i < PAGE_ADVICE_KINDS; i++) {
		if (all[i].bytes < LEAST || all[i].bytes < resident_heap(p->head) / LEAST_PART)
			continue;
		advice[count] = all[i];
		advice[count++].place = pool;
	}
	qsort(advice, count, sizeof(*advice), compare_gains);
	return count;
}

uint64_t page_advice_large_freed(const struct sites *sites)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < sites->count; i++) {
		const struct site *s = &sites->site[i];

		if (sites_is_counted(s) && s->total_blocks > 0 &&
		    s->total_bytes / s->total_blocks >= LARGE && s->max_bytes > s->live_bytes)
			bytes += (uint64_t)(s->max_bytes - s->live_bytes);
	}
	return bytes;
}

/* ---- words ------------------------------------------------------------------------------ */

const char *page_advice_text(enum page_advice_kind kind, const char **after)
{
	*after = "";
	switch (kind) {
	case PAGE_ADVICE_TRIM:
		return "call malloc_trim(0) when much has been freed: it gives free pages back";
	case PAGE_ADVICE_ARENAS:
		return "run it with MALLOC_ARENA_MAX=1 or 2 (mallopt(M_ARENA_MAX)): each thread's "
		       "arena keeps free memory of its own";
	case PAGE_ADVICE_THRESHOLD:
		return "run it with MALLOC_MMAP_THRESHOLD_=131072 (mallopt(M_MMAP_THRESHOLD)): "
		       "large blocks then go back at once when they are freed";
	case PAGE_ADVICE_POOL:
		*after = " a pool of their own: few of them keep many pages";
		return "give the blocks of ";
	default:
		return "try an allocator that wastes less on small blocks (jemalloc, mimalloc, "
		       "tcmalloc), or put these blocks into arrays";
	}
}

const char *page_part_text(enum mu_pages_part part)
{
	static const char *const text[MU_PAGES_PARTS] = {
		[MU_PAGES_LIVE] = "heap: live blocks, as they were asked for",
		[MU_PAGES_SLACK] = "heap: slack, the rest of pages that have a live block",
		[MU_PAGES_FREE] = "heap: free but resident, pages without a live block",
		[MU_PAGES_MAPPINGS] = "other private memory",
		[MU_PAGES_STACKS] = "stacks",
		[MU_PAGES_FILES] = "programs, libraries, files, shared memory",
		[MU_PAGES_RECORDER] = "memusage's own",
	};

	return text[part];
}
