/* loaded.c -- finding the object that contains running code.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/loaded.h"

#include <stddef.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"

static struct {
	int (*find_object)(void *, struct dl_find_object *); /* NULL before glibc 2.35 */
	uint32_t first_pid;
} loader;

struct object_search {
	uint64_t pc;
	struct object object;
	bool is_found;
};

void loaded_init(void)
{
	const struct link_map *linker = lookup_object("_dl_find_object");

	if (!loader.first_pid)
		loader.first_pid = (uint32_t)sys_getpid();
	if (linker)
		loader.find_object = (int (*)(void *, struct dl_find_object *))lookup_in(
			linker, "_dl_find_object");
}

/* Called under ld.so's lock for its list, for the first entry only. */
static int search_under_lock(struct dl_phdr_info *first, size_t size, void *argument)
{
	struct object_search *s = argument;

	(void)first, (void)size;
	s->is_found = object_of(s->pc, &s->object);
	return 1;
}

/* A function of its own, so that its frame is not there while _dl_find_object() runs. */
static __attribute__((noinline)) bool search_object_list(uint64_t pc, struct dl_find_object *found)
{
	struct object_search s = { .pc = pc };

	if (gate.mode & MODE_MANY && rec.pid == loader.first_pid)
		dl_iterate_phdr(search_under_lock, &s);
	else
		s.is_found = object_of(pc, &s.object);
	if (!s.is_found)
		return false;
	found->dlfo_map_start = (void *)s.object.start;
	found->dlfo_map_end = (void *)s.object.end;
	found->dlfo_link_map = (struct link_map *)s.object.map;
	found->dlfo_eh_frame = (void *)object_tables(&s.object);
	return true;
}

bool loaded_find(uint64_t pc, struct dl_find_object *found)
{
	return loader.find_object ? !loader.find_object((void *)pc, found)
				  : search_object_list(pc, found);
}
