/* examined.c -- what this process tells one that examines it from outside.
 *
 * An examiner stops the threads, makes a copy of the process by a system call in one of them, and
 * reads that. The code for the call and a stack for it are here, because a thread that is let go in
 * the middle must find its way back (x86_64/examined_stubs.S); the pages of the stack take memory
 * only when they are used.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/examined.h"

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/image/recorder.h"

#if defined(__x86_64__)
extern const char examined_call[], examined_clone[];

static _Alignas(MU_PAGE) uint8_t stack[MU_EXAMINED_STACK];

static void publish_stubs(struct mu_examined *e)
{
	e->call = (uint64_t)examined_call;
	e->clone = (uint64_t)examined_clone;
	e->stack = (uint64_t)stack;
}
#else
static void publish_stubs(struct mu_examined *e)
{
}
#endif

void examined_publish(void)
{
	static const char names[MU_EXAMINED_ENTRIES][sizeof("memalign")] = {
		"malloc", "realloc", "calloc", "memalign"
	};
	struct mu_examined *e = &rec.image->examined;
	const struct link_map *own = lookup_self();

	/* ld.so does not know the recorder of an attacher, which has no such functions: there they
	 * are those of libc. */
	if (!own)
		own = lookup_object("gnu_get_libc_version");

	*e = (struct mu_examined){
		.own = memory_list(),
	};
	for (unsigned int i = 0; own && i < MU_EXAMINED_ENTRIES; i++)
		e->entry[i] = (uint64_t)lookup_in(own, names[i]);
	publish_stubs(e);
	rec.image->in_use = (struct mu_in_use){ (uint64_t)&gate.has_owner, (uint64_t)&rec.slot };
}
