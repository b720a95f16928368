/* passthrough.h -- turning malloc and its kin into jumps to the real functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The functions, as F(name, takes_block): whether it takes a block, which may be an early one.
 * interpose_heap.c gives each a name that no other object has: entry_of_NAME. */
#define PASSTHROUGH_FUNCTIONS(F)     \
	F(malloc, false)         \
	F(calloc, false)         \
	F(realloc, true)         \
	F(free, true)            \
	F(memalign, false)       \
	F(aligned_alloc, false)  \
	F(posix_memalign, false)

/* passthrough_patch -- make the functions of interpose_heap.c jump to the real ones, for good.
 *
 * For modes that record no blocks. It changes no result, only what a call costs, so a failure is
 * not reported: another CPU, code that may not be changed, more than one thread already.
 * Not async-signal-safe; from recorder_start(), after real_resolve(). Cost 30 us.
 */
void passthrough_patch(void);

/* Functions of interpose_pass.c, named in the same way, that record samples, and return to the
 * program straight from the real function if the block is none: F(name, of, takes_block). */
#define SAMPLED_FUNCTIONS(F)                \
	F(pass_malloc, malloc, false)     \
	F(pass_calloc, calloc, false)     \
	F(pass_free, free, true)

/* ... and those that only pass on while the process is asleep (image/asleep.h). */
#define SLEEPING_FUNCTIONS(F)               \
	F(asleep_malloc, malloc, false)   \
	F(asleep_calloc, calloc, false)   \
	F(asleep_realloc, realloc, true)  \
	F(asleep_free, free, true)

/* passthrough_sample -- makes malloc, calloc and free jump to those above, for good.
 *
 * As passthrough_patch(); without it they do the same, at 1 ns more.
 */
void passthrough_sample(void);

/* passthrough_sleep -- makes malloc, calloc, realloc and free jump to those above, for good.
 *
 * As passthrough_patch(); without it they do the same, at 2 ns more.
 */
void passthrough_sleep(void);
