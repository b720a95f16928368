/* passthrough.h -- malloc and its kin become jumps to the real functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_PAGES_PASSTHROUGH_H
#define LIBMEMUSAGE_PAGES_PASSTHROUGH_H

/* The functions, as F(name, whether it takes a block that may be an early one). interpose_heap.c
 * gives each a name that is never another object's: entry_of_NAME. */
#define PASS_ON_FUNCTIONS(F)     \
	F(malloc, false)         \
	F(calloc, false)         \
	F(realloc, true)         \
	F(free, true)            \
	F(memalign, false)       \
	F(aligned_alloc, false)  \
	F(posix_memalign, false)

/* pass_on_patch -- where nothing is to hear of blocks, let the functions of interpose_heap.c begin
 * with a jump to what they would call, for good.
 *
 * It changes no result, only what a call costs, so nothing is said where it cannot be done:
 * another CPU, code that may not be changed, more than one thread already.
 * Not async-signal-safe; from recorder_start(), after real_resolve(). Cost 30 us.
 */
void pass_on_patch(void);

#endif
