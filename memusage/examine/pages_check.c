/* pages_check.c -- Examines a process: what its resident memory is for.
 *
 * The process that examines is one of its own, because what it does must be over when it ends: the
 * kernel then lets go of each thread that it has stopped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/pages_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/child.h"
#include "memusage/common/clock.h"
#include "memusage/examine/memory_parts.h"
#include "memusage/examine/page_states.h"
#include "profile/base/array.h"
#include "profile/base/file.h"
#include "profile/pages/page_census.h"

#define RESULT_MAX (UINT64_C(1) << 32)

/* What the file begins with: a result follows, or the text of an error. */
enum outcome { OUTCOME_FAILED = 1, OUTCOME_FOUND = 2 };

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
		/* Of the kernel's own pages, [vsyscall], nothing is known. */
		part[p->part] += bytes == UINT64_MAX ? 0 : bytes;
	}
	return true;
}

/* ---- the kernel's figure -------------------------------------------------------------------- */

/* The sum over all mappings is exact; the process's own counters lag behind by some pages per CPU.
 * Source  proc(5), /proc/PID/smaps and smaps_rollup; kernels before 4.14 have only the former. */
static uint64_t read_kernel_rss(pid_t pid)
{
	char path[64], line[512];
	uint64_t sum = 0, kb;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	f = fopen(path, "re");
	if (!f) {
		snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
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

static bool write_result(int fd, struct page_census *c)
{
	const uint64_t outcome = OUTCOME_FOUND;
	struct mu_pages *packed = page_census_pack(c);
	bool ok = file_write_at(fd, &outcome, sizeof(outcome), 0) &&
		  file_write_at(fd, packed, packed->bytes, sizeof(outcome));

	free(packed);
	return ok;
}

static void describe_moment(struct mu_pages *head, const struct snapshot *s,
			    const struct heap_pages *h, const struct pages_check_options *o)
{
	head->mono_ns = s->mono_ns;
	/* One that is no copy stands still until now. */
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

static int find_pages(int fd, struct snapshot *s, const struct pages_check_options *o,
		      struct mu_error *err)
{
	const uint64_t kernel_rss = read_kernel_rss(s->tracee.pid);
	uint64_t part[MU_PAGES_PARTS] = { 0 };
	struct heap_pages heap = { .count = 0 };
	struct page_census c = { .sites = 0 };
	struct memory_parts m;
	bool ok;

	bound_sites(&s->blocks, &s->image);
	memory_parts_find(&m, s);
	ok = count_parts(&m, s, &heap, part);
	if (!ok)
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read which of its pages are resident "
			     "(/proc/PID/pagemap): %m");
	if (ok) {
		page_census_take(&c, &s->blocks, heap.range, heap.count,
				 (uint32_t)sysconf(_SC_PAGESIZE));
		c.head.kernel_rss = kernel_rss;
		memcpy(c.head.part + MU_PAGES_MAPPINGS, part + MU_PAGES_MAPPINGS,
		       sizeof(part) - MU_PAGES_MAPPINGS * sizeof(*part));
		describe_moment(&c.head, s, &heap, o);
		ok = write_result(fd, &c);
		if (!ok)
			mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	}
	page_census_free(&c);
	memory_parts_free(&m);
	free_heap(&heap);
	return ok ? 0 : -1;
}

static void examine_process(const struct live *l, pid_t pid, const struct pages_check_options *o,
			    int fd)
{
	const uint64_t outcome = OUTCOME_FAILED;
	struct mu_error err = { .text = "" };
	struct snapshot s;
	int result = snapshot_take(&s, l, pid, o->snapshot, &err);

	if (result == 0)
		result = find_pages(fd, &s, o, &err);
	snapshot_close(&s);
	if (result < 0) {
		file_write_at(fd, &outcome, sizeof(outcome), 0);
		file_write_at(fd, err.text, sizeof(err.text), sizeof(outcome));
	}
	_exit(0);
}

pid_t pages_check_start(const struct live *l, pid_t pid, const struct pages_check_options *o,
			int fd)
{
	pid_t child = fork();

	if (child == 0) {
		child_reset_signals();
		examine_process(l, pid, o, fd);
	}
	return child;
}

/* ---- the result ----------------------------------------------------------------------------- */

static void read_reason(int fd, struct mu_error *err)
{
	char text[sizeof(err->text)] = "";

	if (pread(fd, text, sizeof(text) - 1, sizeof(uint64_t)) < 0)
		text[0] = '\0';
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s", text);
}

struct mu_pages *pages_check_read(int fd, struct mu_error *err)
{
	struct mu_pages *p;
	uint64_t outcome = 0, size;
	struct stat st;

	if (fstat(fd, &st) < 0 || pread(fd, &outcome, sizeof(outcome), 0) != sizeof(outcome)) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "its examination did not come to its end");
		return NULL;
	}
	size = (uint64_t)st.st_size - sizeof(outcome);
	if (outcome != OUTCOME_FOUND || size < sizeof(*p) || size > RESULT_MAX) {
		read_reason(fd, err);
		return NULL;
	}
	p = xmalloc(size);
	if (pread(fd, p, size, sizeof(outcome)) == (ssize_t)size && p->bytes == size)
		return p;
	free(p);
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	return NULL;
}

struct mu_pages *pages_check_run(const struct live *l, pid_t pid,
				 const struct pages_check_options *o, struct mu_error *err)
{
	struct mu_pages *result = NULL;
	int fd = memfd_create("memusage-pages", MFD_CLOEXEC);
	pid_t child = fd < 0 ? -1 : pages_check_start(l, pid, o, fd);

	if (child > 0) {
		child_wait(child);
		result = pages_check_read(fd, err);
	} else {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	}
	if (fd >= 0)
		close(fd);
	return result;
}
