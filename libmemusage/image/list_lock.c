/* list_lock.c -- the lock of ld.so's list of objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/list_lock.h"

#include <link.h>
#include <pthread.h>
#include <stddef.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/thread.h"

#define HELD_MAX 8u

static pthread_mutex_t *found; /* NULL: not found */

/* Recursive mutexes of ld.so that a thread holds. */
struct held_locks {
	const struct link_map *linker;
	uint32_t tid;
	unsigned int count;
	struct {
		pthread_mutex_t *mutex;
		unsigned int depth;
	} lock[HELD_MAX];
};

static unsigned int depth_of(const pthread_mutex_t *mutex, uint32_t tid)
{
	return mutex->__data.__owner == (int)tid &&
			       mutex->__data.__kind == PTHREAD_MUTEX_RECURSIVE ?
		       mutex->__data.__count :
		       0;
}

static void find_held_in(struct held_locks *held, uint64_t at, uint64_t end)
{
	for (; at + sizeof(pthread_mutex_t) <= end; at += _Alignof(pthread_mutex_t)) {
		pthread_mutex_t *mutex = (pthread_mutex_t *)at;
		unsigned int depth = depth_of(mutex, held->tid);

		if (!depth || held->count == HELD_MAX)
			continue;
		held->lock[held->count].mutex = mutex;
		held->lock[held->count++].depth = depth;
	}
}

/* Called under the lock of ld.so's list, for the first entry only. */
static int find_held(struct dl_phdr_info *first, size_t size, void *argument)
{
	struct held_locks *held = argument;
	struct object object;

	(void)first, (void)size;
	if (!object_read(held->linker, &object))
		return 1;
	for (unsigned int i = 0; i < object.parts; i++) {
		const ElfW(Phdr) *part = &object.part[i];
		uint64_t start = object.map->l_addr + part->p_vaddr;
		if (part->p_type == PT_LOAD && part->p_flags & PF_W)
			find_held_in(held, (start + 7) & ~UINT64_C(7), start + part->p_memsz);
	}
	return 1;
}

/* It is the one that dl_iterate_phdr() takes and gives back. */
void list_lock_init(void)
{
	struct held_locks held = { .linker = lookup_object("__tls_get_addr"),
				   .tid = sys_gettid() };

	if (!held.linker)
		return;
	dl_iterate_phdr(find_held, &held);
	for (unsigned int i = 0; i < held.count; i++)
		if (depth_of(held.lock[i].mutex, held.tid) + 1 == held.lock[i].depth)
			found = held.lock[i].mutex;
}

bool list_lock_must_be_freed(void)
{
	return found && has_self() && found->__data.__owner == (int)self->pub.tid &&
	       objects_are_changing();
}

void list_lock_forked(void)
{
	if (found && found->__data.__lock && !objects_are_changing())
		*found = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}
