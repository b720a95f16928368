/* leak_query.h -- asking the collector for a leak check, and for what holds the blocks.
 *
 * Only with MU_CFG_LEAKS or, at the end, MU_CFG_HOLDERS. The calling thread waits for the answer,
 * 120 s at most.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/requests/client_block.h"

/* leak_query_at_end -- ask when exit handlers run, in a process that began with exec; with
 * MU_CFG_LEAK_FORKS in a forked one, too. */
void leak_query_at_end(void);

/* leak_query_at_immediate_end -- ask in a function that ends the process without them.
 *
 * sp  stack pointer of its caller.
 */
void leak_query_at_immediate_end(uint64_t sp);

/* leak_query_before_end -- ask what holds the blocks, when main returns or exit() is called: exit
 * handlers have not run yet. errno stays.
 *
 * sp  stack pointer of the caller of exit(), or of main.
 */
void leak_query_before_end(uint64_t sp);

/* leak_query_flags -- the flags of the result of a request.
 *
 * is_summary  not 0: only the sums are wanted.
 * delta       enum memusage_leak_delta; another number is MEMUSAGE_LEAK_ANY. Valgrind's macros have
 *             the same numbers.
 */
uint32_t leak_query_flags(uint64_t is_summary, uint64_t delta);

/* leak_query_now -- ask because the program requests it.
 *
 * place  of the request.
 * flags  leak_query_flags().
 * Outside the hook; async-signal-safe.
 */
void leak_query_now(const struct call_site *place, uint32_t flags);

/* The result of the last check, in the order of Valgrind's VALGRIND_COUNT_LEAKS. */
struct leak_counts {
	uint64_t lost, dubious, reachable, suppressed;
};

/* leak_query_count -- add up what the last check found, in bytes or blocks; 0: there was none. */
void leak_query_count(struct leak_counts *counts, bool blocks);
