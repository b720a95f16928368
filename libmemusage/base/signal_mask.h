/* signal_mask.h -- blocking all signals of a thread for a while.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The signals that the calling thread had blocked before. */
struct signal_mask {
	uint64_t before;
	bool is_masked;
};

/* signal_mask_all -- block all signals of the calling thread.
 *
 * mask  set. In a sandbox, which may forbid the call, nothing is blocked.
 * Pair with signal_mask_restore(). errno is kept. Async-signal-safe. Cost: a system call.
 */
void signal_mask_all(struct signal_mask *mask);

/* signal_mask_restore -- undo signal_mask_all(). */
void signal_mask_restore(const struct signal_mask *mask);
