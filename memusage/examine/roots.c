/* roots.c -- The memory of a process from which blocks can be reached.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/roots.h"

#include <stdlib.h>
#include <string.h>

#include "memusage/examine/heap_ranges.h"
#include "memusage/examine/recorder_memory.h"
#include "profile/base/array.h"

enum {
	RED_ZONE = 128,
	TABLE_HEADER = 16, /* glibc's pointers to a dtv skip its first entry */
};

/* ---- what is no root -------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_device(const struct area *a)
{
	return begins_with(a->name, "/dev/") && !begins_with(a->name, "/dev/shm/") &&
	       !begins_with(a->name, "/dev/zero");
}

/* Mappings of the kernel, and those that a program does not keep pointers in. */
static bool is_never_root(const struct area *a)
{
	return !(a->flags & AREA_READ) || begins_with(a->name, "[v") ||
	       begins_with(a->name, "anon_inode:") || is_device(a) ||
	       recorder_memory_is_file(a) ||
	       (a->flags & AREA_SHARED && !(a->flags & AREA_WRITE));
}

static bool is_libc(const struct area *a)
{
	const char *base = strrchr(a->name, '/');

	return base && (begins_with(base, "/libc.so") || begins_with(base, "/libc-2"));
}

/* ---- ranges ----------------------------------------------------------------------------- */

static void append_root(struct roots *r, const struct root *root)
{
	if (root->start >= root->end)
		return;
	array_reserve(&r->root, &r->room, r->count + UINT64_C(1), sizeof(*r->root));
	r->root[r->count++] = *root;
}

/* Appends a range without those parts that are heap or the recorder's. */
static void append_without_heap(struct roots *r, const struct heap_ranges *heap,
				const struct root *whole)
{
	struct root part = *whole;

	for (uint32_t i = heap_ranges_first(heap, whole->start);
	     i < heap->count && heap->range[i].start < whole->end; i++) {
		part.end = heap->range[i].start;
		append_root(r, &part);
		if (heap->range[i].end > part.start)
			part.start = heap->range[i].end;
	}
	part.end = whole->end;
	append_root(r, &part);
}

static void append_table(struct roots *r, const struct address_space *s, uint64_t base)
{
	uint64_t word;

	if (address_space_read(s, base + 8, &word, sizeof(word)) != sizeof(word))
		return;
	array_reserve(&r->table, &r->table_room, r->tables + UINT64_C(1), sizeof(*r->table));
	r->table[r->tables++] = word - TABLE_HEADER;
}

/* ---- stacks ----------------------------------------------------------------------------- */

static bool is_base_of_thread(const struct snapshot *s, uint64_t base)
{
	for (uint32_t i = 0; i < s->tracee.count; i++) {
		if (tracee_base(&s->tracee.thread[i]) == base)
			return true;
	}
	return false;
}

/* The C library keeps the stacks of threads that have ended. At the top of one is the structure of
 * the thread, whose first and third words are its own address. Returns that, 0 if there is none. */
static uint64_t find_ended_thread(const struct snapshot *s, const struct area *a)
{
	uint64_t word[512], at = a->end - sizeof(word);

	if (a->name[0] || (a->flags & (AREA_WRITE | AREA_SHARED)) != AREA_WRITE ||
	    a->end - a->start < sizeof(word) ||
	    address_space_read(&s->space, at, word, sizeof(word)) != sizeof(word))
		return 0;
	for (unsigned int i = 0; i + 2 < sizeof(word) / sizeof(*word); i++) {
		uint64_t place = at + i * sizeof(*word);

		if (word[i] == place && word[i + 2] == place)
			return is_base_of_thread(s, place) ? 0 : place;
	}
	return 0;
}

/* The lowest stack pointer in a mapping, and whose it is; NULL if no thread is there. */
static const struct tracee_thread *find_thread_on(const struct snapshot *s, const struct area *a)
{
	const struct tracee_thread *found = NULL;

	for (uint32_t i = 0; i < s->tracee.count; i++) {
		const struct tracee_thread *t = &s->tracee.thread[i];
		uint64_t sp = tracee_stack(t);

		if (sp >= a->start && sp < a->end && (!found || sp < tracee_stack(found)))
			found = t;
	}
	return found;
}

/* A function of libc that waits has all that it needs in its frame and in registers. Below are dead
 * frames only, also malloc's: all of 400 threads that lost a block and then waited had its address
 * there. */
static bool waits_in_libc(const struct snapshot *s, const struct tracee_thread *t)
{
	const struct area *code = t->is_in_call ? address_space_find(&s->space, tracee_code(t)) :
						  NULL;

	return code && is_libc(code);
}

/* The thread that ends the process is below the frame of the caller of exit(). */
static uint64_t lowest_used(const struct snapshot *s, const struct tracee_thread *t)
{
	const uint64_t sp = tracee_stack(t), exit_sp = s->examined.exit_sp;
	const bool is_ending = s->examined.exit_thread == (uint32_t)t->tid && exit_sp > sp;
	const uint64_t lowest = is_ending ? exit_sp : waits_in_libc(s, t) ? sp : sp - RED_ZONE;

	return lowest & -UINT64_C(8);
}

/* ---- mappings --------------------------------------------------------------------------- */

static enum root_kind kind_of_area(const struct area *a)
{
	if (a->flags & AREA_SHARED)
		return ROOT_SHARED;
	return a->flags & AREA_FILE ? ROOT_GLOBAL : ROOT_MAPPING;
}

/* Appends an area from START on. */
static void append_area(struct roots *r, const struct snapshot *s, const struct heap_ranges *heap,
			const struct area *a, uint64_t start)
{
	const struct tracee_thread *thread = find_thread_on(s, a);
	const uint64_t ended = thread ? 0 : find_ended_thread(s, a);
	struct root root = {
		.kind = kind_of_area(a), .start = start, .end = a->end, .area = a,
		.own_pages_only = (a->flags & (AREA_FILE | AREA_SHARED)) == AREA_FILE,
		.start_pointers_only = is_libc(a),
	};

	if (ended) {
		append_table(r, &s->space, ended);
		return;
	}
	if (thread) {
		root.kind = ROOT_STACK;
		root.thread = thread->tid;
		root.start = lowest_used(s, thread);
		if (root.start < start)
			root.start = start;
	}
	append_without_heap(r, heap, &root);
}

void roots_find(struct roots *r, const struct snapshot *s)
{
	struct heap_ranges heap;

	*r = (struct roots){ .count = 0 };
	heap_ranges_find(&heap, s);
	for (uint32_t i = 0; i < s->space.count; i++) {
		const struct area *a = &s->space.area[i];

		if (!is_never_root(a))
			append_area(r, s, &heap, a, recorder_memory_data_end(&s->space, a));
	}
	for (uint32_t i = 0; i < s->tracee.count; i++)
		append_table(r, &s->space, tracee_base(&s->tracee.thread[i]));
	heap_ranges_free(&heap);
}

void roots_free(struct roots *r)
{
	free(r->root);
	free(r->table);
	*r = (struct roots){ .count = 0 };
}
