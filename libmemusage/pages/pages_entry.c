/* pages_entry.c -- recording the mappings that libc makes for itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/pages/pages_entry.h"

#include <link.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/signal_mask.h"
#include "libmemusage/pages/pages_calls.h"
#include "libmemusage/patch/decode.h"
#include "libmemusage/patch/entry.h"
#include "libmemusage/unwind/cfi.h"

static struct {
	/* libc's functions without our jump; a call of syscall() is turned into one of them. */
	uint64_t original[PAGES_FNS];
	uint64_t syscall_pc; /* in syscall(), as pages_pc[] in the others */
} patched;

/* after() needs some arguments of the call, which are no longer in their registers. They are kept
 * in the free room of struct entry_call. */
static struct pages_op *op_of_call(struct entry_call *call)
{
	_Static_assert(sizeof(struct pages_op) <= sizeof(struct block) + sizeof(call->note),
		       "an op must fit");
	return (struct pages_op *)&call->block;
}

static struct pages_place place_of_call(const struct entry_call *call)
{
	return (struct pages_place){ entry_call_sp(call), *(const uint64_t *)call->entry->data };
}

/* The interposed function records the call itself, and knows the real caller. */
static bool is_called_by_recorder(const struct entry_call *call)
{
	extern const char __ehdr_start[], _end[] __attribute__((visibility("hidden")));

	return call->return_address - (uint64_t)__ehdr_start <
	       (uint64_t)_end - (uint64_t)__ehdr_start;
}

static struct thread *enter_masked(struct signal_mask *mask)
{
	signal_mask_all(mask);
	return entry_enter();
}

static bool before_mmap(struct entry_call *call)
{
	if (is_called_by_recorder(call))
		return false;
	*op_of_call(call) = pages_mmap_op(entry_argument(call, 2), (int)entry_argument(call, 3),
					  (int)entry_argument(call, 4));
	return true;
}

static void after_mmap(struct entry_call *call)
{
	struct pages_place place = place_of_call(call);
	struct thread *thread = enter_masked(&op_of_call(call)->mask);

	if (thread)
		pages_mmap(thread, &place, (void *)call->rax, op_of_call(call));
	pages_leave(thread, &op_of_call(call)->mask);
}

/* Signals stay masked until after(), so before() must ask for it. */
static struct thread *begin_held_call(struct entry_call *call)
{
	*op_of_call(call) = (struct pages_op){ .size = 0 };
	return enter_masked(&op_of_call(call)->mask);
}

static bool before_munmap(struct entry_call *call)
{
	struct thread *thread;

	if (is_called_by_recorder(call))
		return false;
	thread = begin_held_call(call);
	if (thread) {
		pages_munmap_begin(op_of_call(call), entry_argument(call, 1),
				   entry_argument(call, 2));
		hook_leave(thread);
	}
	return true;
}

static void after_munmap(struct entry_call *call)
{
	struct pages_place place = place_of_call(call);
	struct thread *thread = entry_enter();

	if (thread)
		pages_munmap_end(thread, &place, op_of_call(call), (int)call->rax != 0);
	pages_leave(thread, &op_of_call(call)->mask);
}

static bool before_mremap(struct entry_call *call)
{
	struct thread *thread;

	if (is_called_by_recorder(call))
		return false;
	thread = begin_held_call(call);
	if (thread) {
		pages_mremap_begin(op_of_call(call), entry_argument(call, 1),
				   entry_argument(call, 2), entry_argument(call, 3),
				   (int)entry_argument(call, 4));
		hook_leave(thread);
	}
	return true;
}

static void after_mremap(struct entry_call *call)
{
	struct pages_place place = place_of_call(call);
	struct thread *thread = entry_enter();

	if (thread)
		pages_mremap_end(thread, &place, op_of_call(call), (void *)call->rax);
	pages_leave(thread, &op_of_call(call)->mask);
}

static bool before_brk(struct entry_call *call)
{
	return !is_called_by_recorder(call);
}

static void after_brk(struct entry_call *call)
{
	struct pages_place place = place_of_call(call);
	struct thread *thread = enter_masked(&op_of_call(call)->mask);

	if (thread)
		pages_brk(thread, &place);
	pages_leave(thread, &op_of_call(call)->mask);
}

static bool before_shmat(struct entry_call *call)
{
	if (is_called_by_recorder(call))
		return false;
	*op_of_call(call) = (struct pages_op){ .start = entry_argument(call, 1) };
	return true;
}

static void after_shmat(struct entry_call *call)
{
	struct pages_place place = place_of_call(call);
	struct signal_mask mask;
	struct thread *thread = enter_masked(&mask);

	if (thread)
		pages_shmat(thread, &place, (int)op_of_call(call)->start, (void *)call->rax);
	pages_leave(thread, &mask);
}

static bool before_shmdt(struct entry_call *call)
{
	struct thread *thread;

	if (is_called_by_recorder(call))
		return false;
	thread = begin_held_call(call);
	if (thread) {
		pages_shmdt_begin(op_of_call(call), entry_argument(call, 1));
		hook_leave(thread);
	}
	return true;
}

static const struct {
	const char *name;
	bool (*before)(struct entry_call *call);
	void (*after)(struct entry_call *call);
} family[PAGES_FNS] = {
	[PAGES_MMAP] = { "mmap", before_mmap, after_mmap },
	[PAGES_MUNMAP] = { "munmap", before_munmap, after_munmap },
	[PAGES_MREMAP] = { "mremap", before_mremap, after_mremap },
	[PAGES_BRK] = { "brk", before_brk, after_brk },
	[PAGES_SHMAT] = { "shmat", before_shmat, after_shmat },
	[PAGES_SHMDT] = { "shmdt", before_shmdt, after_munmap },
};

/* ---- syscall() ---------------------------------------------------------------------------- */

static const struct entry_hook as_syscall[PAGES_FNS] = {
	[PAGES_MMAP] = { .after = after_mmap, .data = &patched.syscall_pc },
	[PAGES_MUNMAP] = { .after = after_munmap, .data = &patched.syscall_pc },
	[PAGES_MREMAP] = { .after = after_mremap, .data = &patched.syscall_pc },
	[PAGES_BRK] = { .after = after_brk, .data = &patched.syscall_pc },
	[PAGES_SHMAT] = { .after = after_shmat, .data = &patched.syscall_pc },
	[PAGES_SHMDT] = { .after = after_munmap, .data = &patched.syscall_pc },
};

static enum pages_fn function_of_syscall(uint64_t number)
{
	switch (number) {
	case SYS_mmap:
		return PAGES_MMAP;
	case SYS_munmap:
		return PAGES_MUNMAP;
	case SYS_mremap:
		return PAGES_MREMAP;
	case SYS_brk:
		return PAGES_BRK;
	case SYS_shmat:
		return PAGES_SHMAT;
	case SYS_shmdt:
		return PAGES_SHMDT;
	default:
		return PAGES_FNS;
	}
}

/* The thunk would move the last of seven arguments, which is on the stack. So the call continues as
 * a call of the function that does the same; not for brk, which has one argument and another
 * result. */
static void turn_into_function(struct entry_call *call, enum pages_fn fn)
{
	call->rdi = call->rsi;
	call->rsi = call->rdx;
	call->rdx = call->rcx;
	call->rcx = call->r8;
	call->r8 = call->r9;
	if (fn == PAGES_MMAP)
		call->r9 = (&call->return_address)[1];
	call->original = patched.original[fn];
}

static bool before_syscall(struct entry_call *call)
{
	enum pages_fn fn = function_of_syscall(call->rdi);

	if (fn == PAGES_FNS || !patched.original[fn])
		return false;
	if (fn != PAGES_BRK)
		turn_into_function(call, fn);
	call->entry = &as_syscall[fn];
	return family[fn].before(call);
}

/* ---- patching ---------------------------------------------------------------------------- */

/* Returns the address after the function's system call, which Massif shows, or that of the function
 * if the call is not found (another CPU, unknown code). */
static uint64_t find_syscall(uint64_t function, uint64_t size)
{
#if defined(__x86_64__)
	uint8_t code[DECODE_BYTES];
	struct insn insn = { .length = 0 };

	for (uint64_t at = function; at < function + size; at += insn.length) {
		if (!decode_copy(at, function + size, &insn, code))
			break;
		if (code[0] == 0x0f && code[1] == 0x05)
			return at + 2;
	}
#endif
	(void)size;
	return function;
}

/* Returns whether calls will be seen. *pc gets the address of the function's system call. */
static bool patch_one_function(const struct patch *p, const char *name, struct entry_hook *entry,
			       uint64_t *pc)
{
	const struct link_map *libc = lookup_object("gnu_get_libc_version");

	if (!libc || !lookup_sized(libc, name, &entry->function, &entry->size))
		return false;
	if (entry_original(entry->function))
		return true;
	*pc = find_syscall(entry->function, entry->size);
	return p && !entry_patch(p, entry, 0);
}

static bool patch_libc_function(const struct patch *p, enum pages_fn fn)
{
	struct entry_hook entry = { .before = family[fn].before,
				    .after = family[fn].after,
				    .data = &pages_pc[fn] };
	bool ok = patch_one_function(p, family[fn].name, &entry, &pages_pc[fn]);

	patched.original[fn] = entry_original(entry.function);
	return ok;
}

bool pages_entry_patch(void)
{
	struct entry_hook entry = { .before = before_syscall };
	struct patch p;
	bool ok = true;

	cfi_init();
	bool may = patch_begin(&p);
	for (enum pages_fn fn = 0; fn < PAGES_FNS; fn++)
		ok &= patch_libc_function(may ? &p : NULL, fn);
	ok &= patch_one_function(may ? &p : NULL, "syscall", &entry, &patched.syscall_pc);
	if (may)
		patch_end(&p);
	return ok && may;
}
