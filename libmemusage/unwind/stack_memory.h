/* stack_memory.h -- finding out which memory of the program's stacks may be read now.
 *
 * Stacks disappear: a thread ends, a coroutine's stack is unmapped, another one of another size
 * takes its place, and the recorder may not notice (munmap may be a system call of the program's
 * own code). So no word of a stack is read without one of three proofs, which docs/design.md gives
 * in full:
 *
 *   its page is that of the innermost return address, which the recorded call has just written;
 *   it is outward from that on the thread's own stack, which exists as long as the thread runs, and
 *   which was found readable without a gap from there to its end;
 *   the kernel was asked just now.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/export.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/image/thread.h"
#include "recording/recording.h"

/* State of stacks that all threads share. */
struct stack_memory {
	/* How often the program was seen to unmap or replace memory where threads' own stacks are.
	 * A proof is valid for longer than an event only on the thread's own stack. */
	uint32_t changes;
	/* The ranges that contain the own stacks of threads so far: the first thread's, and all
	 * others'. */
	struct stack_hull {
		uint64_t low, high;
	} hull[2];
};

extern HIDDEN struct stack_memory stack_memory;

/* The stack that an event is on. Zeroed before the first event of a thread. */
struct stack_view {
	uint64_t low, high; /* nothing outside is read by the quick way */
	bool is_own;	    /* the thread's own stack: all from low to high is readable */
	uint32_t changes;   /* stack_memory.changes when that was found out */
	uint64_t floor;	    /* of this event: the innermost return address, nothing below is read */
	uint64_t page;	    /* of this event: any address in the page that was proved last */
	uint64_t alternate_low; /* unless 0, it is an alternate signal stack, from there */
	uint64_t own_low, own_high; /* so much of the own stack is readable ... */
	uint32_t own_changes;	    /* ... as of then; kept while the thread is on another */
};

/* stack_memory_enter -- find the stack that contains a return address of the calling thread.
 *
 * view     set, except floor and page.
 * address  of a word that a call has just written.
 * Async-signal-safe. Cost 20 ns, and 100 ns for each page of the thread's own stack that an event
 * comes to for the first time.
 */
void stack_memory_enter(const struct thread *thread, struct stack_view *view, uint64_t address);

/* stack_memory_holds -- return whether an earlier view is valid for an address. */
static inline bool stack_memory_holds(const struct stack_view *view, uint64_t address)
{
	return address >= view->low && address < view->high &&
	       view->changes == __atomic_load_n(&stack_memory.changes, __ATOMIC_RELAXED);
}

/* stack_memory_changed -- note that the program unmaps [start, start + length), or maps it again.
 *
 * Call it before the program does that, or after. Async-signal-safe. Cost 2 ns.
 */
void stack_memory_changed(uint64_t start, uint64_t length);

/* stack_memory_begin -- begin to read the stack of a view, for one event.
 *
 * address  as for stack_memory_enter().
 */
static inline void stack_memory_begin(struct stack_view *view, uint64_t address)
{
	view->floor = view->page = address;
}

/* stack_memory_prove_page -- do stack_memory_prove() for a page other than the last. */
bool stack_memory_prove_page(struct stack_view *view, uint64_t address);

/* stack_memory_prove -- return whether a word of the stack may be read.
 *
 * view     of an event that has begun.
 * address  of a word to which the frames found so far lead.
 * Async-signal-safe. Cost 1 ns; 100 ns for each page of another stack than the thread's own.
 */
static inline bool stack_memory_prove(struct stack_view *view, uint64_t address)
{
	if (unlikely(address < view->floor) || unlikely(address >= view->high) ||
	    unlikely(address & 7))
		return false;
	return likely(view->is_own) || readable_is_same_page(address, view->page) ||
	       stack_memory_prove_page(view, address);
}

/* stack_memory_prove_far -- do stack_memory_prove() for a word of any stack to which frames lead.
 *
 * From a signal handler's stack they lead to that of what it interrupted. Async-signal-safe.
 * Cost 100 ns for each page.
 */
bool stack_memory_prove_far(struct stack_view *view, uint64_t address);

/* stack_memory_read -- return the word at an address, 0 if it cannot be read.
 *
 * here  an address in use: words in its page are read without asking the kernel.
 * Async-signal-safe. Cost 100 ns for another page.
 */
static inline uint64_t stack_memory_read(uint64_t here, uint64_t address)
{
	if (address & 7)
		return 0;
	if (!readable_is_same_page(here, address) && !readable_page(address))
		return 0;
	return *(const uint64_t *)address;
}

/* stack_memory_room -- return how many bytes an alternate signal stack has left below a word of it.
 *
 * Returns UINT64_MAX on other stacks, and where the kernel did not tell: in a sandbox, or if it has
 * taken the stack from the thread while the handler runs (SS_AUTODISARM).
 */
static inline uint64_t stack_memory_room(const struct stack_view *view, uint64_t address)
{
	return view->alternate_low ? address - view->alternate_low : UINT64_MAX;
}

/* stack_memory_is_own -- return whether an address is within the size of the thread's own stack.
 *
 * It may not be readable.
 */
bool stack_memory_is_own(const struct thread *thread, uint64_t address);
