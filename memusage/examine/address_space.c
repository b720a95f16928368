/* address_space.c -- The mappings of a process, and what is in them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/address_space.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/examine/page_states.h"
#include "memusage/examine/supplied_areas.h"
#include "profile/base/array.h"

#define PAGE UINT64_C(4096)
/* Source  Documentation/admin-guide/mm/pagemap.rst of Linux. */
#define PAGE_PRESENT (UINT64_C(3) << 62) /* in memory or swapped out */
#define PAGE_OF_FILE (UINT64_C(1) << 61) /* or of shared memory */

enum { PAGES_AT_ONCE = 4096 };

/* ---- the list --------------------------------------------------------------------------- */

static void append_area(struct address_space *s, const char *line, size_t names,
			const char *mounts)
{
	struct area a = { .flags = 0 };
	unsigned int major, minor;
	char permission[5];
	uint64_t inode;
	int name = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64 " %n", &a.start,
		   &a.end, permission, &major, &minor, &inode, &name) < 6 || a.start >= a.end)
		return;
	a.flags = (permission[0] == 'r' ? AREA_READ : 0) |
		  (permission[1] == 'w' ? AREA_WRITE : 0) |
		  (permission[2] == 'x' ? AREA_CODE : 0) |
		  (permission[3] == 's' ? AREA_SHARED : 0) | (inode ? AREA_FILE : 0);
	if (mounts && inode && supplied_areas_served(mounts, major, minor)) {
		a.flags |= AREA_SUPPLIED;
		s->has_supplied = true;
	}
	/* Where it begins in the text; parse_maps() makes a pointer of it. */
	a.name = (const char *)(names + (size_t)name);
	array_reserve(&s->area, &s->room, s->count + UINT64_C(1), sizeof(*s->area));
	s->area[s->count++] = a;
}

/* Reads all of /proc/PID/NAME at once; returns NULL with errno if it cannot. */
static char *read_text(pid_t pid, const char *name)
{
	size_t length = 0, room = 1 << 16;
	char path[64], *text = xmalloc(room);
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (got = read(fd, text + length, room - length - 1)) > 0) {
		length += (size_t)got;
		if (room - length < PAGE) {
			room *= 2;
			text = xreallocarray(text, room, 1);
		}
	}
	text[length] = '\0';
	if (fd >= 0)
		close(fd);
	if (length > 0)
		return text;
	free(text);
	return NULL;
}

static void parse_maps(struct address_space *s)
{
	char *mounts = read_text(s->pid, "mountinfo");

	if (mounts && !strstr(mounts, " - fuse")) {
		free(mounts);
		mounts = NULL;
	}
	for (char *line = s->names, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		append_area(s, line, (size_t)(line - s->names), mounts);
	}
	free(mounts);
	for (uint32_t i = 0; i < s->count; i++)
		s->area[i].name = s->names + (size_t)s->area[i].name;
}

static int open_pagemap(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void mark_supplied(uint64_t start, void *data)
{
	struct address_space *s = data;

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->area[i].start != start)
			continue;
		s->area[i].flags |= AREA_SUPPLIED;
		s->has_supplied = true;
	}
}

int address_space_open(struct address_space *s, pid_t pid, pid_t touched, struct mu_error *err)
{
	*s = (struct address_space){ .pid = pid, .touched = touched, .pagemap = -1,
				     .touched_pagemap = -1 };
	s->names = read_text(pid, "maps");
	if (!s->names)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot read its mappings: %m");
	parse_maps(s);
	s->pagemap = open_pagemap(pid);
	s->touched_pagemap = open_pagemap(touched);
	supplied_areas_find(pid, mark_supplied, s);
	return 0;
}

/* Returns the first mapping that ends behind an address, NULL: none does. */
static const struct area *find_next(const struct address_space *s, uint64_t address)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (s->area[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->count ? &s->area[low] : NULL;
}

const struct area *address_space_find(const struct address_space *s, uint64_t address)
{
	const struct area *a = find_next(s, address);

	return a && a->start <= address ? a : NULL;
}

/* ---- contents --------------------------------------------------------------------------- */

static size_t read_memory(const struct address_space *s, uint64_t address, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)address, size };
	ssize_t got = process_vm_readv(s->pid, &local, 1, &remote, 1, 0);

	return got > 0 ? (size_t)got : 0;
}

/* The kernel gives a copy no page of a file that it can read again. */
static bool is_page_there(const struct address_space *s, const struct area *a, uint64_t address)
{
	const int pagemap = a->flags & AREA_FILE ? s->touched_pagemap : s->pagemap;
	uint64_t word;

	return pread(pagemap, &word, sizeof(word), (off_t)(address / PAGE * sizeof(word))) ==
		       sizeof(word) && word & PAGE_PRESENT;
}

/* Reads up to the end of the page at ADDRESS if the process supplies it, else of the area. */
static size_t read_part(const struct address_space *s, uint64_t address, void *to, size_t size)
{
	const struct area *a = address_space_find(s, address);
	const bool is_supplied = a && a->flags & AREA_SUPPLIED;
	const uint64_t end = is_supplied ? (address & -PAGE) + PAGE : a ? a->end : address + size;

	size = size < end - address ? size : end - address;
	if (!is_supplied || is_page_there(s, a, address))
		return read_memory(s, address, to, size);
	memset(to, 0, size);
	return size;
}

size_t address_space_read(const struct address_space *s, uint64_t address, void *to, size_t size)
{
	size_t done = 0, got;

	if (!s->has_supplied)
		return read_memory(s, address, to, size);
	while (done < size &&
	       (got = read_part(s, address + done, (char *)to + done, size - done)) > 0)
		done += got;
	return done;
}

/* Touched pages that follow each other. */
struct page_run {
	uint64_t start, end;	/* nothing yet if equal */
	uint64_t low, high;	/* it is cut to them */
	address_space_fn *visit;
	void *data;
};

static void end_run(struct page_run *r)
{
	uint64_t start = r->start > r->low ? r->start : r->low;
	uint64_t end = r->end < r->high ? r->end : r->high;

	if (start < end)
		r->visit(r->data, start, end);
	r->start = r->end = 0;
}

static void add_pages(void *run, uint64_t start, uint64_t end)
{
	struct page_run *r = run;

	if (r->end != start) {
		end_run(r);
		r->start = start;
	}
	r->end = end;
}

/* Returns the number of pages that could be asked for, from START on. */
static uint64_t visit_some_pages(int pagemap, struct page_run *r, uint64_t start, uint64_t count,
				 bool own_only)
{
	static uint64_t word[PAGES_AT_ONCE];
	ssize_t got;

	count = count < PAGES_AT_ONCE ? count : PAGES_AT_ONCE;
	got = pagemap < 0 ? -1 : pread(pagemap, word, count * 8, (off_t)(start / PAGE * 8));
	if (got <= 0) {
		/* Unknown: all of them count. */
		add_pages(r, start, start + count * PAGE);
		return count;
	}
	count = (uint64_t)got / 8;
	for (uint64_t i = 0; i < count; i++) {
		if (word[i] & PAGE_PRESENT && !(own_only && word[i] & PAGE_OF_FILE))
			add_pages(r, start + i * PAGE, start + (i + 1) * PAGE);
	}
	return count;
}

void address_space_visit(const struct address_space *s, const struct area *area, uint64_t start,
			 uint64_t end, bool own_only, address_space_fn *visit, void *data)
{
	struct page_run r = { .low = start, .high = end, .visit = visit, .data = data };
	const int pagemap = area->flags & AREA_SHARED ? s->touched_pagemap : s->pagemap;
	const uint64_t behind = (end + PAGE - 1) & -PAGE;
	uint64_t at = page_states_visit(pagemap, start & -PAGE, behind, own_only, add_pages, &r);

	while (at < end)
		at += PAGE * visit_some_pages(pagemap, &r, at, (end - at + PAGE - 1) / PAGE,
					      own_only);
	end_run(&r);
}

void address_space_visit_readable(const struct address_space *s, uint64_t start, uint64_t end,
				  address_space_fn *visit, void *data)
{
	const struct area *a;

	for (uint64_t at = start; at < end && (a = find_next(s, at)); at = a->end) {
		const uint64_t first = a->start > at ? a->start : at;

		if (first < end && a->flags & AREA_READ)
			address_space_visit(s, a, first, a->end < end ? a->end : end, false, visit,
					    data);
	}
}

void address_space_close(struct address_space *s)
{
	free(s->area);
	free(s->names);
	if (s->pagemap >= 0)
		close(s->pagemap);
	if (s->touched_pagemap >= 0)
		close(s->touched_pagemap);
	*s = (struct address_space){ .pagemap = -1, .touched_pagemap = -1 };
}
