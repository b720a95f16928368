/* stack_memory.c -- finding out which memory of the program's stacks may be read now.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/stack_memory.h"

#include <signal.h>

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

#define OWN_MOST (UINT64_C(16) << 20) /* of the own stack that is looked at page by page */
/* The assumed extent of another stack around an address. The kernel is asked for every page
 * nevertheless: these only end a walk that has gone astray. */
#define OTHER_BELOW (UINT64_C(1) << 20)
#define OTHER_ABOVE (UINT64_C(64) << 20)

struct stack_memory stack_memory = { .hull = { { UINT64_MAX, 0 }, { UINT64_MAX, 0 } } };

bool stack_memory_prove_page(struct stack_view *view, uint64_t address)
{
	if (!readable_page(address))
		return false;
	view->page = address;
	return true;
}

bool stack_memory_prove_far(struct stack_view *view, uint64_t address)
{
	if (address & 7)
		return false;
	if (readable_is_same_page(address, view->page) ||
	    (view->is_own && address >= view->floor && address < view->high))
		return true;
	/* Where the kernel may not be asked, the thread's own stack is there as it was. */
	return stack_memory_prove_page(view, address) ||
	       (sandbox.is_on && address >= view->own_low && address < view->own_high);
}

/* Returns the end of the thread's own stack. Between its base and its thread structure are libc's
 * own frames and all static TLS, which may be large; both are within the size that was requested
 * (glibc's allocate_stack.c). */
static uint64_t find_own_stack_end(const struct thread *thread)
{
	uint64_t base = thread->pub.stack_base;
	uint64_t top = cpu_thread_pointer();

	return top > base && top - base < thread->pub.stack_size ? top : base + 8;
}

bool stack_memory_is_own(const struct thread *thread, uint64_t address)
{
	return address >= thread->pub.stack_base - thread->pub.stack_size &&
	       address < find_own_stack_end(thread);
}

static void widen_hull(struct stack_hull *hull, uint64_t low, uint64_t high)
{
	uint64_t seen = __atomic_load_n(&hull->low, __ATOMIC_RELAXED);

	while (low < seen && !__atomic_compare_exchange_n(&hull->low, &seen, low, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	seen = __atomic_load_n(&hull->high, __ATOMIC_RELAXED);
	while (high > seen && !__atomic_compare_exchange_n(&hull->high, &seen, high, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void stack_memory_changed(uint64_t start, uint64_t length)
{
	for (int i = 0; i < 2; i++)
		if (start < __atomic_load_n(&stack_memory.hull[i].high, __ATOMIC_RELAXED) &&
		    start + length > __atomic_load_n(&stack_memory.hull[i].low, __ATOMIC_RELAXED))
			__atomic_fetch_add(&stack_memory.changes, 1, __ATOMIC_RELAXED);
}

/* Lowers view->own_low to the page of an address, if all in between is readable. Where the kernel
 * may not be asked any more, it is if it belongs to the thread's stack for sure. */
static bool extend_own_range(const struct thread *thread, struct stack_view *view, uint64_t address)
{
	uint64_t wanted = address & -(uint64_t)MU_PAGE;
	uint64_t low = view->own_low;

	if (sandbox.is_on && thread->stack_low && wanted >= thread->stack_low && low > wanted)
		low = wanted;
	if (low > wanted && low - wanted > OWN_MOST)
		return false;
	/* The last page is that of the address, which needs no proof. */
	while (low > wanted + MU_PAGE && readable_page(low - MU_PAGE))
		low -= MU_PAGE;
	if (low > wanted + MU_PAGE)
		return false;
	view->own_low = low < wanted ? low : wanted;
	return true;
}

static bool enter_own_stack(const struct thread *thread, struct stack_view *view, uint64_t address,
			    uint32_t changes)
{
	uint64_t end = find_own_stack_end(thread);

	if (view->own_high != end || view->own_changes != changes) {
		/* The page of its last word still needs a proof. */
		view->own_low = (end + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
		view->own_high = end;
		view->own_changes = changes;
		widen_hull(&stack_memory.hull[thread->pub.tid != rec.pid],
			   thread->pub.stack_base - thread->pub.stack_size, end);
	}
	if (!extend_own_range(thread, view, address))
		return false;
	view->low = view->own_low;
	view->high = end;
	view->is_own = true;
	view->alternate_low = 0;
	view->changes = changes;
	return true;
}

/* Returns where the thread's alternate signal stack is, and 0 in *size if it has none. */
static uint64_t find_alternate_stack(uint64_t *size)
{
	stack_t stack;

	*size = 0;
	if (sys_failed(SYS2(SYS_sigaltstack, NULL, &stack)) || stack.ss_flags & SS_DISABLE)
		return 0;
	*size = stack.ss_size;
	return (uint64_t)stack.ss_sp;
}

/* Makes the range around an address end at other memory. Returns whether the address is in that. */
static bool narrow_range(struct stack_view *view, uint64_t address, uint64_t low, uint64_t size)
{
	if (address - low < size)
		return true;
	if (address < low && view->high > low)
		view->high = low;
	if (address >= low && view->low < low + size)
		view->low = low + size;
	return false;
}

/* Not so far that another stack of the thread would be taken for a part of it. */
static void enter_other_stack(const struct thread *thread, struct stack_view *view,
			      uint64_t address, uint32_t changes)
{
	uint64_t own_low = thread->pub.stack_base - thread->pub.stack_size;
	uint64_t size, low = find_alternate_stack(&size);

	view->low = address > OTHER_BELOW ? address - OTHER_BELOW : 0;
	view->high = address + OTHER_ABOVE;
	view->alternate_low = 0;
	narrow_range(view, address, own_low, find_own_stack_end(thread) - own_low);
	if (narrow_range(view, address, low, size)) {
		view->low = view->alternate_low = low;
		view->high = low + size;
	}
	view->is_own = false;
	view->changes = changes;
}

void stack_memory_enter(const struct thread *thread, struct stack_view *view, uint64_t address)
{
	uint32_t changes = __atomic_load_n(&stack_memory.changes, __ATOMIC_RELAXED);

	if (stack_memory_is_own(thread, address) &&
	    enter_own_stack(thread, view, address, changes))
		return;
	enter_other_stack(thread, view, address, changes);
}
