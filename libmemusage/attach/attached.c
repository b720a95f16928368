/* attached.c -- how recording begins in a process that runs already.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/attach/attached.h"

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "libmemusage/attach/quick_heap.h"
#include "libmemusage/base/clock.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/event/earlier_blocks.h"
#include "libmemusage/event/hook_recovery.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/slot.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/begin.h"
#include "libmemusage/lifecycle/image.h"
#include "libmemusage/lifecycle/start.h"
#include "libmemusage/patch/entry.h"
#include "libmemusage/patch/intercept.h"
#include "libmemusage/patch/patch.h"
#include "libmemusage/tables/snapshots.h"
#include "recording/family.h"

#define TAKEN_WITHIN UINT64_C(1000000000) /* nanoseconds */
#define INTERNAL_NEAR UINT64_C(65536)	  /* of free(): code of the same source file */
#define ONLY_STACK_MOST (UINT64_C(1) << 20)

extern void *__libc_stack_end; /* libc.c */

/* ---- threads ------------------------------------------------------------------------------- */

static uint32_t thread_id_of_libc(void)
{
	return *(const uint32_t *)(cpu_thread_pointer() + MU_ATTACH_TID);
}

/* A forked child can be in the middle of calls that its parent's thread began: those will return
 * through here. A new thread has none, whatever the former one on its stack has left. */
void attached_adopt_thread(void)
{
	const struct attached_thread before = attached_thread;
	const bool is_child = !gate.on && before.key >> 32 == attached.generation >> 32;

	/* Until glibc 2.33 the only thread has no ID before libpthread comes, by dlopen(). */
	if (gate.on && before.key == attached.generation) {
		attached_thread.key |= thread_id_of_libc();
		return;
	}
	memset((void *)(cpu_thread_pointer() + MU_ATTACH_TLS), 0, MU_ATTACH_TLS_BYTES);
	self = &no_thread;
	attached_thread.inside = is_child ? before.inside : 0;
	attached_thread.key = attached.generation | thread_id_of_libc();
}

/* ---- functions ----------------------------------------------------------------------------- */

static void say_why(struct mu_attach *a, const char *name, const char *why)
{
	size_t length = strlen(name), more = strlen(why);

	if (length + more + 3 > sizeof(a->why))
		return;
	memcpy(a->why, name, length);
	memcpy(a->why + length, ": ", 2);
	memcpy(a->why + length + 2, why, more + 1);
}

static bool patch_function(const struct patch *p, const struct link_map *object,
			   const struct mu_family *function, const char **why)
{
	struct intercept what = { .signature = function->signature, .layer = ENTRY_BUILTIN };
	uint32_t count;
	const struct entry_hook *hook = entry_hooks(&count);
	uint64_t address, size;

	if (!lookup_sized(object, function->name, &address, &size))
		return true;
	for (uint32_t i = 0; i < count; i++)
		if (hook[i].function == address)
			return true; /* another name of it */
	what.arrival = quick_heap_arrival(function->name, address);
	*why = intercept_function(p, &what, address, size, 0);
	return !*why;
}

static bool is_allocator(const struct link_map *object)
{
	uint64_t address, size;

	/* Before 2.32 ld.so has a malloc for itself, and its own thread structure. */
	return lookup_sized(object, "malloc", &address, &size) &&
	       lookup_sized(object, "free", &address, &size) &&
	       !lookup_in(object, "__tls_get_addr");
}

/* Copies of strings that are not recorded are no reason to refuse the program. */
static void patch_strings(const struct patch *p, const struct link_map *object)
{
	const char *why;

	if (lookup_in(object, "gnu_get_libc_version"))
		return;
	for (size_t i = 0; i < MU_FAMILY_STRINGS; i++)
		patch_function(p, object, &mu_family_strings[i], &why);
}

/* Operators of C++ end in malloc and free. */
static bool patch_allocators(struct mu_attach *a, const struct patch *p)
{
	const char *why = NULL;
	bool any = false;

	for (const struct link_map *object = _r_debug.r_map; object; object = object->l_next) {
		if (!is_allocator(object))
			continue;
		for (size_t i = 0; i < MU_FAMILY_PREFIXED; i++) {
			if (patch_function(p, object, &mu_family_libc[i], &why))
				continue;
			say_why(a, mu_family_libc[i].name, why);
			return false;
		}
		patch_strings(p, object);
		any = true;
	}
	quick_heap_patched();
	if (!any)
		say_why(a, "malloc", "no loaded object has it");
	return any;
}

/* patch_write() has noted the jumps, in the order of the hooks. */
static void complete_entries(struct mu_attach *a)
{
	uint32_t count;
	const struct entry_hook *hook = entry_hooks(&count);

	for (uint32_t i = 0; i < count; i++) {
		struct mu_attach_entry *e = &a->entry[i];
		const struct entry_moves *m = &hook[i].moves;

		e->thunk = hook[i].thunk;
		e->taken = m->taken;
		e->end = m->end;
		e->count = m->count;
		memcpy(e->from, m->from, sizeof(e->from));
		memcpy(e->to, m->to, sizeof(e->to));
		memcpy(e->before, (const void *)e->place, MU_ATTACH_JUMP);
	}
}

/* ---- calls of free() by glibc itself --------------------------------------------------------- */

/* Returns whether the registers and the stack are the caller's again before an instruction: code
 * ends there. */
static bool is_behind_epilogue(const uint8_t *code)
{
	static const uint8_t add_to_sp[] = { 0x48, 0x83, 0xc4 };

	return (code[-1] & 0xf8) == 0x58 || memcmp(code - 4, add_to_sp, sizeof(add_to_sp)) == 0;
}

/* Lets a jump to free() lead to its first instructions in the thunk. */
static void redirect_jump(struct mu_attach *a, uint64_t at, const struct entry_hook *hook)
{
	const int32_t distance = (int32_t)(hook->original - (at + MU_ATTACH_JUMP));
	struct mu_attach_entry *e = &a->entry[a->entries];

	if (a->entries == MU_ATTACH_ENTRIES || at / MU_PAGE != (at + MU_ATTACH_JUMP - 1) / MU_PAGE)
		return;
	*e = (struct mu_attach_entry){ .place = at, .thunk = hook->thunk,
				       .taken = MU_ATTACH_JUMP, .jump = { 0xe9 } };
	memcpy(e->jump + 1, &distance, sizeof(distance));
	memcpy(e->before, (const void *)at, MU_ATTACH_JUMP);
	a->entries++;
}

/* malloc.c of glibc frees the blocks of its own caches by direct calls of free(), when a thread
 * ends: they were freed by the program before. Since 2.42 the first free() of a thread makes its
 * cache, and jumps to free() again. */
static void find_calls_of_itself(struct mu_attach *a, const struct entry_hook *hook)
{
	const uint64_t function = hook->function;
	struct object object;
	uint64_t low = function - INTERNAL_NEAR, high = function + INTERNAL_NEAR;
	int32_t distance;

	if (!object_of(function, &object))
		return;
	/* Only the segment of the function itself: others may not be readable. The process is
	 * stopped meanwhile, so not each byte is asked about. */
	while (object_flags(&object, low) != object_flags(&object, function))
		low++;
	while (object_flags(&object, high - 1) != object_flags(&object, function))
		high--;
	for (uint64_t at = low + 4; at + 5 <= high; at++) {
		const uint8_t *code = (const uint8_t *)at;

		if (*code != 0xe8 && *code != 0xe9)
			continue;
		memcpy(&distance, code + 1, sizeof(distance));
		if (at + 5 + (uint64_t)(int64_t)distance != function)
			continue;
		if (*code == 0xe8)
			intercept_ignore_caller(at + 5);
		else if (is_behind_epilogue(code))
			redirect_jump(a, at, hook);
	}
}

static void find_calls_by_libc(struct mu_attach *a)
{
	uint32_t count;
	const struct entry_hook *hook = entry_hooks(&count);

	for (const struct link_map *object = _r_debug.r_map; object; object = object->l_next) {
		uint64_t address, size;

		if (!is_allocator(object) || !lookup_in(object, "gnu_get_libc_version") ||
		    !lookup_sized(object, "free", &address, &size))
			continue;
		for (uint32_t i = 0; i < count; i++) {
			if (hook[i].function == address)
				find_calls_of_itself(a, &hook[i]);
		}
	}
}

/* ---- beginning ----------------------------------------------------------------------------- */

static void init_modules(const struct mu_attach *a)
{
	attached.generation = a->generation;
	__libc_stack_end = (void *)a->stack_end;
	memcpy(attached.auxv, a->auxv, sizeof(attached.auxv));
	attached_adopt_thread();
	attached_thread.inside = 0;
	clock_begin_without_ticks();
	clock_init();
	objects_init();
	readable_init();
	hook_recovery_init();
}

/* Blocks that are there already may be freed: those frees are no errors. */
static bool begin_image(struct mu_attach *a)
{
	struct slot slot = { .index = a->slot };

	if (SYS3(SYS_madvise, &gate, sizeof(gate), MADV_WIPEONFORK) ||
	    !slot_map(a->fd, a->segment_size, a->slots, a->slot_size, &slot)) {
		say_why(a, "memory", "the process has no room left for the recording");
		return false;
	}
	recorder_configure(slot.segment);
	rec.collector = slot.segment->collector_pid;
	if (!image_begin(&slot)) {
		say_why(a, "memory", "none is left for the recording");
		return false;
	}
	rec.is_attached = true;
	rec.image->notes |= MU_NOTE_ATTACHED;
	rec.was_paused = true;
	attached.pid = rec.pid;
	earlier_blocks_begin(&(struct earlier_heap){ (enum mu_before)a->before, a->mapped_header,
						     a->before_blocks, a->before_bytes });
	snapshots_find_clock();
	return true;
}

/* Returns whether the thread is inside a function: a word of its stack leads there. */
static bool is_inside(uint64_t sp, uint64_t stack_end, uint64_t function, uint64_t size)
{
	for (uint64_t at = sp & ~UINT64_C(7); at < stack_end; at += 8)
		if (*(const uint64_t *)at - function < size)
			return true;
	return false;
}

/* A program with one thread is recorded without locks, as if memusage had started it, until
 * pthread_create() is called: no thread may be about to begin. Each part of the stack that is
 * looked at has been used. */
static bool has_one_thread(const struct mu_attach *a)
{
	uint64_t function, size;

	return guards_watch_threads(&function, &size) && a->only_stack &&
	       a->only_stack < a->stack_end && a->stack_end - a->only_stack < ONLY_STACK_MOST &&
	       !is_inside(a->only_stack, a->stack_end, function, size);
}

/* With several threads any may begin before the gate is looked at again. */
static void open_gate(bool is_alone)
{
	const uint32_t more = is_alone ? 0 : 2;

	rec.state = STATE_ON;
	rec.image->heap.threads += more;
	recorder_open_gate();
	rec.image->heap.threads -= more;
}

static bool patch_functions(struct mu_attach *a, const struct patch *p)
{
	const char *why = "it cannot be intercepted";
	const char *function;

	if (!patch_allocators(a, p))
		return false;
	function = guards_patch(p);
	if (!function && rec.flags & MU_CFG_MMAP)
		function = mappings_patch(p, &why);
	if (function)
		say_why(a, function, why);
	return !function;
}

static bool begin(struct mu_attach *a)
{
	struct patch p;
	bool ok;

	if (!begin_image(a))
		return false;
	patch_begin(&p);
	ok = patch_functions(a, &p);
	patch_end(&p);
	if (!ok)
		return false;
	complete_entries(a);
	find_calls_by_libc(a);
	a->inside = (uint32_t)((uint64_t)&attached_thread.inside - cpu_thread_pointer());
	a->key = (uint32_t)((uint64_t)&attached_thread.key - cpu_thread_pointer());
	SYS1(SYS_close, a->fd);
	open_gate(has_one_thread(a));
	return true;
}

static void wait_to_be_taken(void)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + TAKEN_WITHIN;

	while (clock_ns(CLOCK_MONOTONIC) < end)
		cpu_pause();
}

void attach_begin(struct mu_attach *a)
{
	bool ok;

	attached.attach = a;
	rec.state = STATE_STARTING;
	rec.program_has_begun = true;
	init_modules(a);
	a->own = memory_list();
	ok = begin(a);
	if (!ok)
		rec.state = STATE_OFF;
	/* It is not a thread of the program's here. */
	self = &no_thread;
	attached_thread = (struct attached_thread){ .key = 0 };
	attached.attach = NULL;
	__atomic_store_n(&a->state, ok ? MU_ATTACH_BEGUN : MU_ATTACH_FAILED, __ATOMIC_RELEASE);
	wait_to_be_taken();
}
