/* request.c -- requests of include/memusage.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/request.h"

#include <link.h>
#include <string.h>

#include "include/memusage.h"
#include "libmemusage/base/export.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/event/event.h"
#include "libmemusage/requests/access_request.h"
#include "libmemusage/requests/labels.h"
#include "libmemusage/requests/leak_query.h"
#include "libmemusage/requests/marks.h"
#include "libmemusage/requests/pools.h"
#include "libmemusage/tables/block_search.h"

#define NOTE_NAME "memusage"
#define NOTE_TYPE 1 /* the only version so far */

request_histogram_fn request_histogram;

/* ---- serving ----------------------------------------------------------------------------- */

void request_count(struct thread *thread, bool ok)
{
	thread->pub.counters.requests++;
	thread->pub.counters.request_errors += !ok;
}

void request_ad_hoc(struct thread *thread, const struct call_site *place, uint64_t weight)
{
	if (!(gate.mode & MODE_STACKS) || __atomic_load_n(&rec.pauses, __ATOMIC_RELAXED))
		return;
	sites_count(thread,
		    sites_find(walk_stack(thread, place->slot, place->bp), MU_SITE_FN_AD_HOC),
		    weight);
}

bool request_histogram_at(struct thread *thread, uint64_t address)
{
	static const uint64_t spaces[] = { MU_KEY_NESTED, MU_KEY_ANNOUNCED, 0 };
	bool many = gate.mode & MODE_MANY;

	for (unsigned int i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		struct block block;
		uint64_t start;
		uint64_t reach =
			spaces[i] == MU_KEY_ANNOUNCED ? client_block_largest() : BLOCK_SEARCH_REACH;
		if (block_search_find(spaces[i], address, reach, &start, &block, many))
			return !request_histogram || request_histogram(thread, start, block.size);
	}
	access_request_unknown();
	return false;
}

static bool serve_pool_request(struct thread *thread, const struct call_site *place,
			       uintptr_t request, uintptr_t pool, uintptr_t address, uintptr_t size)
{
	switch (request) {
	case MEMUSAGE_REQUEST_CREATE_POOL:
		return pools_create(pool, 0);
	case MEMUSAGE_REQUEST_DESTROY_POOL:
		return pools_destroy(thread, place, pool);
	case MEMUSAGE_REQUEST_POOL_ALLOC:
		return pools_alloc(thread, place, pool, address, size);
	default:
		return pools_free(thread, place, pool, address);
	}
}

static bool serve_request(struct thread *thread, const struct call_site *place, uintptr_t request,
			  uintptr_t a, uintptr_t b, uintptr_t c)
{
	switch (request) {
	case MEMUSAGE_REQUEST_MALLOCLIKE:
		return client_block_alloc(thread, place, a, b);
	case MEMUSAGE_REQUEST_FREELIKE:
		return client_block_free(thread, place, a);
	case MEMUSAGE_REQUEST_RESIZE:
		return client_block_resize(thread, place, a, a, c);
	case MEMUSAGE_REQUEST_CREATE_POOL:
	case MEMUSAGE_REQUEST_DESTROY_POOL:
	case MEMUSAGE_REQUEST_POOL_ALLOC:
	case MEMUSAGE_REQUEST_POOL_FREE:
		return serve_pool_request(thread, place, request, a, b, c);
	case MEMUSAGE_REQUEST_MARK:
		marks_add(thread, MU_MARK_USER, (const char *)a);
		return true;
	case MEMUSAGE_REQUEST_PAUSE:
		marks_pause(thread);
		return true;
	case MEMUSAGE_REQUEST_RESUME:
		return marks_resume(thread);
	case MEMUSAGE_REQUEST_AD_HOC:
		request_ad_hoc(thread, place, a);
		return true;
	case MEMUSAGE_REQUEST_HISTOGRAM:
		return request_histogram_at(thread, a);
	case MEMUSAGE_REQUEST_LABEL:
		return labels_set(thread, (const char *)a, (const char *)b);
	default:
		return false; /* of a later version of the header */
	}
}

/* They are made outside the hook, and are not counted: they tell nothing of memory. */
static bool serve_leak_request(const struct call_site *place, uintptr_t request, uintptr_t a,
			       uintptr_t b)
{
	if (request == MEMUSAGE_REQUEST_LEAK_CHECK) {
		leak_query_now(place, leak_query_flags(a, b));
	} else if (request == MEMUSAGE_REQUEST_COUNT_LEAKS) {
		struct leak_counts counts;
		uintptr_t *wanted = (uintptr_t *)a;

		leak_query_count(&counts, b);
		wanted[0] = counts.lost;
		wanted[1] = counts.dubious;
		wanted[2] = counts.reachable;
		wanted[3] = counts.suppressed;
	} else {
		return false;
	}
	return true;
}

/* Compiled with a frame pointer, like the interposed functions: its frame leads to the caller's. */
EXPORT uintptr_t memusage_request_entry(uintptr_t request, uintptr_t a, uintptr_t b, uintptr_t c)
{
	const struct call_site place = { .slot = hook_sp() + 8,
					 .bp = *(const uint64_t *)hook_sp(),
					 .sp = hook_sp() };

	if (serve_leak_request(&place, request, a, b))
		return 0;
	struct thread *thread = hook_enter();
	if (!thread)
		return 0;
	if (request != MEMUSAGE_REQUEST_IS_RECORDING)
		request_count(thread, serve_request(thread, &place, request, a, b, c));
	hook_leave(thread);
	return request == MEMUSAGE_REQUEST_IS_RECORDING && !rec.pauses;
}

/* ---- publishing the entry ---------------------------------------------------------------- */

/* Fills in the pointer that memusage.h leaves in an object. The contents of the header's note are
 * the distance from themselves to the pointer, which must be in a writable part of the object. */
static void publish_entry(const struct object *object, uint64_t contents)
{
	uint64_t distance;

	memcpy(&distance, (const void *)contents, sizeof(distance));
	uint64_t place = contents + distance;
	int flags = object_flags(object, place);
	int flags_at_end = object_flags(object, place + sizeof(uint64_t) - 1);
	if (place % sizeof(uint64_t) || flags < 0 || !(flags & PF_W) || flags_at_end != flags)
		return;
	uint64_t *pointer = (uint64_t *)place;
	if (!*pointer)
		__atomic_store_n(pointer, (uint64_t)memusage_request_entry, __ATOMIC_RELEASE);
}

/* Notes are padded to four bytes here; segments with another alignment hold other notes. */
static void read_object_notes(const struct object *object, uint64_t at, uint64_t length)
{
	ElfW(Nhdr) note;

	while (length >= sizeof(note)) {
		memcpy(&note, (const void *)at, sizeof(note));
		uint64_t name = at + sizeof(note);
		uint64_t contents = name + ((note.n_namesz + UINT64_C(3)) & -UINT64_C(4));
		uint64_t size = contents - at + ((note.n_descsz + UINT64_C(3)) & -UINT64_C(4));
		if (size > length)
			return;
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_NAME) &&
		    note.n_descsz == sizeof(uint64_t) &&
		    !memcmp((const void *)name, NOTE_NAME, sizeof(NOTE_NAME)))
			publish_entry(object, contents);
		at += size;
		length -= size;
	}
}

void request_publish_entry(void)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		struct object object;
		if (!object_read(map, &object))
			continue;
		for (unsigned int i = 0; i < object.parts; i++) {
			const ElfW(Phdr) *part = &object.part[i];
			uint64_t start = map->l_addr + part->p_vaddr;
			if (part->p_type == PT_NOTE && part->p_align <= 4 &&
			    object_flags(&object, start) >= 0 &&
			    start + part->p_memsz <= object.end)
				read_object_notes(&object, start, part->p_memsz);
		}
	}
}
