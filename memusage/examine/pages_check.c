/* pages_check.c -- Examines a process: what its resident memory is for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/pages_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "memusage/examine/examination.h"
#include "memusage/examine/memory_parts.h"
#include "memusage/examine/page_states.h"
#include "profile/base/array.h"
#include "profile/pages/page_census.h"

/* ---- pages ---------------------------------------------------------------------------------- */

/* The ranges of the heap, with the states of their pages. */
struct heap_pages {
	struct page_range *range;
	uint32_t count, room;
	bool has_huge, has_nodes;
};

/* Returns false if the states are not known. */
static bool append_heap(struct heap_pages *h, const struct memory_part *p,
			const struct snapshot *s)
{
	const int pagemap = p->is_shared ? s->space.touched_pagemap : s->space.pagemap;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct page_range r = { .start = p->start, .end = p->end, .kind = p->heap };

	r.state = xcalloc((r.end - r.start) / page, 1);
	if (page_states_scan(pagemap, r.start, r.end, r.state)) {
		h->has_huge = true;
	} else if (!page_states_read(pagemap, r.start, r.end, r.state)) {
		free(r.state);
		return false;
	}
	h->has_nodes |= page_states_add_nodes(s->space.pid, r.start, r.end, r.state);
	array_reserve(&h->range, &h->room, h->count + UINT64_C(1), sizeof(*h->range));
	h->range[h->count++] = r;
	return true;
}

static void free_heap(struct heap_pages *h)
{
	for (uint32_t i = 0; i < h->count; i++)
		free(h->range[i].state);
	free(h->range);
}

/* Counts what is no heap, and collects what is. Returns false if that is not known. */
static bool count_parts(const struct memory_parts *m, const struct snapshot *s,
			struct heap_pages *h, uint64_t part[MU_PAGES_PARTS])
{
	for (uint32_t i = 0; i < m->count; i++) {
		const struct memory_part *p = &m->part[i];
		uint64_t bytes = 0;

		if (p->part == MU_PAGES_LIVE) {
			if (!append_heap(h, p, s))
				return false;
			continue;
		}
		bytes = page_states_count(p->is_shared ? s->space.touched_pagemap :
							 s->space.pagemap, p->start, p->end);
		/* Nothing is known of the kernel's own pages, [vsyscall]. */
		part[p->part] += bytes == UINT64_MAX ? 0 : bytes;
	}
	return true;
}

/* ---- the kernel's figure -------------------------------------------------------------------- */

/* The sum over all mappings is exact; the process's own counters lag behind by some pages per CPU.
 * Source  proc(5), /proc/PID/smaps and smaps_rollup; kernels before 4.14 have only the former. */
static uint64_t read_kernel_rss(pid_t view)
{
	char path[64], line[512];
	uint64_t sum = 0, kb;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)view);
	f = fopen(path, "re");
	if (!f) {
		snprintf(path, sizeof(path), "/proc/%d/smaps", (int)view);
		f = fopen(path, "re");
	}
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Rss: %" SCNu64 " kB", &kb) == 1)
			sum += kb * 1024;
	}
	if (f)
		fclose(f);
	return sum;
}

/* ---- the check ------------------------------------------------------------------------------ */

static void describe_moment(struct mu_pages *head, const struct snapshot *s,
			    const struct heap_pages *h, const struct pages_check_options *o)
{
	head->mono_ns = s->mono_ns;
	/* One that is no copy is stopped until now. */
	head->pause_ns = s->is_stopped ? clock_now(CLOCK_MONOTONIC) - s->mono_ns : s->pause_ns;
	head->flags |= (o->is_at_end ? MU_PAGES_AT_END : 0u) |
		       (h->has_huge ? MU_PAGES_HUGE : 0u) |
		       (h->has_nodes ? MU_PAGES_NODES : 0u) |
		       (s->is_incomplete ? MU_PAGES_CUT : 0u);
}

/* Numbers of sites come from the process, and what is made of them must stay small. */
static void bound_sites(struct block_set *blocks, const struct image *im)
{
	const uint64_t sites = image_count(im, MU_SEC_SITES);

	for (uint32_t i = 0; i < blocks->count; i++) {
		if (blocks->block[i].site > sites)
			blocks->block[i].site = (uint32_t)sites;
	}
}

static void *find_pages(struct snapshot *s, const void *options, struct mu_error *err)
{
	const uint64_t kernel_rss = read_kernel_rss(s->view);
	uint64_t part[MU_PAGES_PARTS] = { 0 };
	struct heap_pages heap = { .count = 0 };
	struct page_census c = { .sites = 0 };
	struct mu_pages *result = NULL;
	struct memory_parts m;

	bound_sites(&s->blocks, &s->image);
	memory_parts_find(&m, s);
	if (count_parts(&m, s, &heap, part)) {
		page_census_take(&c, &s->blocks, heap.range, heap.count,
				 (uint32_t)sysconf(_SC_PAGESIZE));
		c.head.kernel_rss = kernel_rss;
		memcpy(c.head.part + MU_PAGES_MAPPINGS, part + MU_PAGES_MAPPINGS,
		       sizeof(part) - MU_PAGES_MAPPINGS * sizeof(*part));
		describe_moment(&c.head, s, &heap, options);
		result = page_census_pack(&c);
	} else {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read which of its pages are resident "
			     "(/proc/PID/pagemap): %m");
	}
	page_census_free(&c);
	memory_parts_free(&m);
	free_heap(&heap);
	return result;
}

static uint64_t count_bytes(const void *result)
{
	const struct mu_pages *p = result;

	return p->bytes;
}

const struct examination pages_check = {
	.file_name = "memusage-pages",
	.unfinished = "its examination did not come to its end",
	.least = sizeof(struct mu_pages),
	.most = UINT64_C(1) << 32,
	.examine = find_pages,
	.count_bytes = count_bytes,
};
