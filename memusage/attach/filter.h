/* filter.h -- Would the seccomp filters of a process allow what the recorder does in it?
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memusage/attach/target.h"

/* A system call of which some arguments are known beforehand. */
struct filter_call {
	int number;
	const char *name;
	unsigned int known; /* a bit for each argument */
	bool may_fail;	    /* the caller has another way, if the filter answers with an error */
	uint64_t argument[6];
};

/* filter_allows -- Tells whether a filter allows a call, whatever its unknown arguments are, or
 * answers one that may fail with an error.
 *
 * code   from the kernel or from anybody: false if it makes no sense, or takes too long.
 * count  of its instructions.
 */
bool filter_allows(const struct sock_filter *code, size_t count, const struct filter_call *call);

/* filter_check -- Runs the filters of all threads, which are stopped, for the recorder's calls.
 *
 * Before the stop is too early: a thread may be about to load a filter. Cost 1 us for each thread
 * without one, 20 us if we are not root.
 * Returns TARGET_OK, or TARGET_REFUSED with ERR, which names the call that one forbids.
 */
enum target_result filter_check(const struct target *t, struct mu_error *err);
