/* readable.h -- finding out whether memory of the program is there now.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/sandbox.h"
#include "recording/recording.h"

/* readable_init -- find out by which system call to ask the kernel. */
void readable_init(void);

/* readable_page -- ask the kernel whether the page of an address can be read.
 *
 * Returns false also where no system call may be made (sandbox.h). Async-signal-safe.
 * Cost 100 ns.
 */
bool readable_page(uint64_t address);

/* readable_is_same_page -- return whether two addresses are in one page. */
static inline bool readable_is_same_page(uint64_t a, uint64_t b)
{
	return (a ^ b) < MU_PAGE;
}

/* Known facts about the stack of a search. */
struct readable_stack {
	uint64_t page; /* any address in a page that can be read */
	bool is_whole; /* all that is asked for is the thread's own stack, which is there */
};

/* readable_on_stack -- return whether a word that should be on the calling thread's stack is there.
 *
 * A stack's size may be a guess, if nothing told it: another stack can be within that size, and a
 * gap above it.
 * stack  its page becomes that of ADDRESS if this is readable.
 * Returns false also where the kernel may not be asked. Async-signal-safe.
 * Cost 1 ns; 100 ns for another page of a stack that is not whole.
 */
static inline bool readable_on_stack(struct readable_stack *stack, uint64_t address)
{
	if (stack->is_whole || readable_is_same_page(stack->page, address))
		return true;
	if (!readable_page(address))
		return false;
	stack->page = address;
	return true;
}
