/* pages_start.c -- mappings that are there at the start, made by ld.so, or there at the end.
 *
 * ld.so maps with functions of its own. Its lasting mappings are those of objects, and they are
 * found when it notifies debuggers of a change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/pages/pages_start.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "libmemusage/base/maps.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/event/event.h"
#include "libmemusage/pages/pages.h"
#include "libmemusage/pages/pages_calls.h"
#include "libmemusage/pages/pages_entry.h"
#include "libmemusage/pages/passthrough.h"
#include "libmemusage/patch/entry.h"
#include "libmemusage/patch/patch.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

#define STACK_NAME "[stack]" /* of the main thread's mapping, in the kernel's list */
#define SPARE_LINES 64u /* that other threads may add meanwhile */

static struct ranges objects; /* loaded ones: tag is their pages' site, site keeps them apart */

/* ---- the kernel's account ---------------------------------------------------------------- */

struct kernel_account {
	struct ranges ranges; /* without the recorder's own */
	struct range stack;
	uint64_t own; /* bytes left out */
};

static bool collect_mapping(const struct maps_line *line, void *data)
{
	struct kernel_account *account = data;
	struct range range = { .start = line->start, .end = line->end };

	if (line->length == sizeof(STACK_NAME) - 1 && !memcmp(line->path, STACK_NAME, line->length))
		account->stack = range;
	ranges_put(&account->ranges, &range);
	return false;
}

static void leave_out_range(uint64_t start, uint64_t size, void *data)
{
	struct kernel_account *account = data;
	struct range part;

	while (ranges_take(&account->ranges, start, start + pages_up(size), &part))
		account->own += part.end - part.start;
}

static void leave_out_library(struct kernel_account *account)
{
	struct object own;

	if (object_of((uint64_t)__ehdr_start, &own))
		leave_out_range(own.start, own.end - own.start, account);
}

static bool count_line(const struct maps_line *line, void *data)
{
	(void)line;
	++*(uint64_t *)data;
	return false;
}

/* The list gets its room first: to map while reading would change what is read. */
static bool read_account(struct kernel_account *account)
{
	uint64_t lines = SPARE_LINES;
	char path[sizeof(STACK_NAME)]; /* one byte more than the name, to tell longer ones */

	*account = (struct kernel_account){ .ranges = { .count = 0 } };
	if (!maps_for_each(NULL, 0, count_line, &lines) ||
	    !ranges_reserve(&account->ranges, lines + memory_for_each(NULL, NULL)))
		return false;
	if (!maps_for_each(path, sizeof(path), collect_mapping, account)) {
		ranges_free(&account->ranges);
		return false;
	}
	memory_for_each(leave_out_range, account);
	leave_out_library(account);
	/* The list itself will be unmapped. */
	account->own -= pages_up(account->ranges.room * sizeof(*account->ranges.range));
	return true;
}

/* ---- objects ----------------------------------------------------------------------------- */

/* The other members of struct range are for lookups; see `objects`. */
static struct range range_of_object(const struct object *object, uint32_t site)
{
	return (struct range){ .start = object->start, .end = object->end,
			       .site = (uint32_t)(object->start >> 12), .tag = site };
}

static bool take_known_object(const struct object *object, struct range *range)
{
	uint64_t i = ranges_after(&objects, object->start);

	if (i == objects.count || objects.range[i].start != object->start ||
	    objects.range[i].end != object->end)
		return false;
	return ranges_take(&objects, object->start, object->end, range);
}

/* Records an object that ld.so has mapped since the last look. Its unused room between segments is
 * mapped as well. */
static int64_t add_opened_object(struct thread *thread, const struct object *object, uint32_t site)
{
	count_call(&thread->pub.counters, MU_FN_MMAP_R, object->end - object->start,
		   object->end - object->start);
	return pages_add(thread, site, object->start, object->end);
}

static int64_t remove_closed_object(struct thread *thread, const struct range *object)
{
	uint64_t bytes = pages_drop(thread, object->start, object->end, object->tag, 0);

	thread->pub.counters.calls[MU_FN_MUNMAP]++;
	thread->pub.counters.bytes[MU_FN_MUNMAP] += bytes;
	return -(int64_t)bytes;
}

/* Under the lock. Returns the change of the sum. */
static int64_t compare_objects(struct thread *thread, uint32_t site)
{
	struct ranges now = { .count = 0 };
	struct object object;
	struct range range;
	int64_t change = 0;

	for (const struct r_debug *space = &_r_debug; space; space = objects_next_namespace(space))
		for (const struct link_map *map = space->r_map; map; map = map->l_next) {
			if (!object_read(map, &object))
				continue;
			if (!take_known_object(&object, &range)) {
				range = range_of_object(&object, site);
				change += add_opened_object(thread, &object, site);
			}
			ranges_put(&now, &range);
		}
	for (uint64_t i = 0; i < objects.count; i++)
		change += remove_closed_object(thread, &objects.range[i]);
	ranges_free(&objects);
	objects = now;
	return change;
}

/* ld.so holds its lock: one thread at a time. */
static void count_changed_objects(void)
{
	struct pages_place place = { patch_objects_place(), 0 };

	if ((rec.state != STATE_ON && rec.state != STATE_FORKED) || !(rec.flags & MU_CFG_PAGES))
		return;
	struct thread *thread = entry_enter();
	if (!thread)
		return;
	uint32_t site = pages_site(thread, &place, false);
	if (pages_lock()) {
		int64_t change = compare_objects(thread, site);
		pages_unlock();
		pages_done(thread, change, place.sp);
	}
	hook_leave(thread);
}

/* ---- the start --------------------------------------------------------------------------- */

static void add_mapped_parts(struct thread *thread, struct ranges *from, uint64_t start,
			     uint64_t end, uint32_t site, enum mu_fn fn)
{
	struct range part;

	if (!pages_lock())
		return;
	while (ranges_take(from, start, end, &part)) {
		thread->pub.counters.bytes[fn] += part.end - part.start;
		pages_add(thread, site, part.start, part.end);
	}
	pages_unlock();
}

static void add_loaded_objects(struct thread *thread, struct kernel_account *account)
{
	struct object object;

	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (!object_read(map, &object))
			continue;
		/* This library is no part of the account. */
		uint32_t site = object.start == (uint64_t)__ehdr_start
					? 0 : pages_site_of_start(thread, object.start);
		struct range range = range_of_object(&object, site);
		add_mapped_parts(thread, &account->ranges, object.start, object.end, site,
				 MU_FN_MMAP_R);
		ranges_put(&objects, &range);
	}
}

static void add_initial_pages(struct thread *thread)
{
	struct kernel_account account;

	pages_brk_start();
	if (!read_account(&account)) {
		rec.image->notes |= MU_NOTE_PAGES_ALONE;
		return;
	}
	add_loaded_objects(thread, &account);
	add_mapped_parts(thread, &account.ranges, 0, UINT64_MAX, pages_site_of_start(thread, 0),
			 MU_FN_MMAP_A);
	ranges_free(&account.ranges);
}

void pages_start(void)
{
	bool ok = pages_entry_patch() && patch_on_objects(count_changed_objects);
	struct thread *thread;

	rec.image->notes |= ok ? MU_NOTE_PAGES : MU_NOTE_PAGES | MU_NOTE_PAGES_ALONE;
	rec.was_paused = true; /* an unknown block is no error: none are recorded */
	passthrough_patch();
	pages_forget();
	ranges_free(&objects);
	thread = hook_enter();
	if (!thread)
		return;
	add_initial_pages(thread);
	hook_leave(thread);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* Returns the bytes of the first list that are in the second, too. */
static uint64_t common_bytes(const struct ranges *a, const struct ranges *b)
{
	uint64_t sum = 0;

	for (uint64_t i = 0, k = 0; i < a->count && k < b->count;) {
		const struct range *x = &a->range[i], *y = &b->range[k];
		uint64_t start = x->start > y->start ? x->start : y->start;
		uint64_t end = x->end < y->end ? x->end : y->end;
		sum += end > start ? end - start : 0;
		if (x->end < y->end)
			i++;
		else
			k++;
	}
	return sum;
}

void pages_exit(void)
{
	struct kernel_account account;

	if (!read_account(&account))
		return;
	if (pages_lock()) {
		struct ranges stack = { .range = &account.stack, .count = 1 };
		uint64_t both = common_bytes(&account.ranges, pages_live());
		uint64_t on_stack = common_bytes(&stack, pages_live());
		rec.image->drops.pages_gone = ranges_bytes(pages_live()) - both;
		rec.image->drops.pages_unseen = ranges_bytes(&account.ranges) - both -
						(account.stack.end - account.stack.start) +
						on_stack;
		rec.image->pages_own = account.own;
		rec.image->pages_stack = on_stack;
		pages_unlock();
	}
	ranges_free(&account.ranges);
}
