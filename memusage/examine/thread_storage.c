/* thread_storage.c -- Where the thread-local variables of each thread are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/thread_storage.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "memusage/examine/object_headers.h"
#include "profile/base/array.h"

enum {
	OBJECTS_MOST = 4096,
	DYNAMIC_MOST = 256,	/* entries of the dynamic section */
	THREAD_BYTES = 4096	/* what the C library keeps from the base of a thread on, at most */
};

/* An object with thread-local variables, in the order of loading. */
struct tls_object {
	uint32_t module;
	uint64_t size, align;
};

struct tls_objects {
	struct tls_object *object;
	uint32_t count, room;
};

/* ---- objects in the order of loading ---------------------------------------------------- */

static const ElfW(Phdr) *find_part(const ElfW(Phdr) *part, unsigned int count, uint32_t type)
{
	for (unsigned int i = 0; i < count; i++) {
		if (part[i].p_type == type)
			return &part[i];
	}
	return NULL;
}

/* Returns the address of the linker's list of objects, which the program's dynamic section leads
 * to; 0 if MODULE is not the program. */
static uint64_t find_list(const struct snapshot *s, const struct module *module)
{
	ElfW(Phdr) part[OBJECT_HEADERS_MOST];
	const ElfW(Phdr) *dynamic =
		find_part(part, object_headers_read(&s->space, module->start, part), PT_DYNAMIC);
	ElfW(Dyn) entry = { .d_tag = 1 };
	struct r_debug debug;
	uint64_t at = dynamic ? module->bias + dynamic->p_vaddr : 0;

	for (unsigned int i = 0; at && i < DYNAMIC_MOST && entry.d_tag != DT_NULL; i++) {
		if (address_space_read(&s->space, at, &entry, sizeof(entry)) != sizeof(entry))
			return 0;
		at += sizeof(entry);
		if (entry.d_tag == DT_DEBUG && entry.d_un.d_ptr &&
		    address_space_read(&s->space, entry.d_un.d_ptr, &debug, sizeof(debug)) ==
			    sizeof(debug))
			return (uint64_t)(uintptr_t)debug.r_map;
	}
	return 0;
}

static void append_object(struct tls_objects *t, const struct snapshot *s,
			  const struct process_modules *m, uint64_t dynamic)
{
	const uint32_t number = process_modules_find(m, dynamic);
	ElfW(Phdr) part[OBJECT_HEADERS_MOST];
	const ElfW(Phdr) *tls;
	unsigned int count;

	if (number == MODULES_NONE)
		return;
	count = object_headers_read(&s->space, m->all.module[number].start, part);
	tls = find_part(part, count, PT_TLS);
	if (!tls || tls->p_memsz == 0)
		return;
	array_reserve(&t->object, &t->room, t->count + UINT64_C(1), sizeof(*t->object));
	t->object[t->count++] = (struct tls_object){ number, tls->p_memsz,
						     tls->p_align ? tls->p_align : 1 };
}

static void find_objects(struct tls_objects *t, const struct snapshot *s,
			 const struct process_modules *m)
{
	struct link_map map;
	uint64_t at = 0;

	*t = (struct tls_objects){ .count = 0 };
	for (uint32_t i = 0; i < m->all.count && !at; i++)
		at = find_list(s, &m->all.module[i]);
	for (unsigned int i = 0; at && i < OBJECTS_MOST; i++) {
		if (address_space_read(&s->space, at, &map, sizeof(map)) != sizeof(map))
			break;
		append_object(t, s, m, (uint64_t)(uintptr_t)map.l_ld);
		at = (uint64_t)(uintptr_t)map.l_next;
	}
}

/* ---- threads ---------------------------------------------------------------------------- */

static void append_block(struct thread_storage *t, const struct storage_block *b)
{
	if (b->start >= b->end)
		return;
	if (b->end - b->start > t->widest)
		t->widest = b->end - b->start;
	array_reserve(&t->block, &t->room, t->count + UINT64_C(1), sizeof(*t->block));
	t->block[t->count++] = *b;
}

static void append_thread(struct thread_storage *t, const struct snapshot *s,
			  const struct tls_objects *o, const struct tracee_thread *thread)
{
	const uint64_t base = tracee_base(thread);
	uint64_t table = 0, room = 0;

	for (uint32_t i = 0; i < o->count; i++)
		room += o->object[i].size + o->object[i].align;
	append_block(t, &(struct storage_block){ base - room, base + THREAD_BYTES, MODULES_NONE,
						 thread->tid });
	if (address_space_read(&s->space, base + 8, &table, sizeof(table)) != sizeof(table))
		return;
	for (uint32_t i = 0; i < o->count; i++) {
		const struct tls_object *object = &o->object[i];
		const uint64_t entry = table + (i + UINT64_C(1)) * 16;
		uint64_t start;

		if (address_space_read(&s->space, entry, &start, sizeof(start)) != sizeof(start))
			break;
		if (start < UINT64_MAX - object->size)
			append_block(t, &(struct storage_block){ start, start + object->size,
								 object->module, thread->tid });
	}
}

static int compare_blocks(const void *a, const void *b)
{
	const struct storage_block *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

void thread_storage_find(struct thread_storage *t, const struct snapshot *s,
			 const struct process_modules *m)
{
	struct tls_objects objects;

	*t = (struct thread_storage){ .count = 0 };
	find_objects(&objects, s, m);
	for (uint32_t i = 0; i < s->tracee.count; i++)
		append_thread(t, s, &objects, &s->tracee.thread[i]);
	if (t->count > 0)
		qsort(t->block, t->count, sizeof(*t->block), compare_blocks);
	free(objects.object);
}

const struct storage_block *thread_storage_at(const struct thread_storage *t, uint64_t address)
{
	const struct storage_block *found = NULL;
	size_t i = array_first_from(t->block, t->count, sizeof(*t->block),
				    offsetof(struct storage_block, start), address + 1);

	while (i-- > 0 && address - t->block[i].start < t->widest) {
		const struct storage_block *b = &t->block[i];

		if (address < b->end &&
		    (!found || b->end - b->start < found->end - found->start))
			found = b;
		/* The widest are those of whole threads. */
		if (found && found->module != MODULES_NONE)
			break;
	}
	return found;
}

void thread_storage_free(struct thread_storage *t)
{
	free(t->block);
	*t = (struct thread_storage){ .count = 0 };
}
