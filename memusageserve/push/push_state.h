/* push_state.h -- What each process had allocated at the last push, to subtract it from the next.
 *
 * The form is private to the workers of one memusageserve: it is never kept.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/read/image.h"
#include "profile/read/sites.h"

struct push_state_process {
	uint32_t pid;
	uint64_t start_ns, fork_ns;	/* by which another image of that number is known */
	struct sites sites;		/* total_blocks and total_bytes alone */
};

struct push_state {
	uint64_t taken_ns;	/* CLOCK_MONOTONIC: what began later has allocated all since */
	uint32_t ended;		/* images of the recording that are in earlier pushes */
	struct push_state_process *process;
	uint32_t count;
};

/* push_state_read -- Reads a state.
 *
 * in  NULL: there is none.
 * Returns 0, or -1: it is not complete, and S has what could be read.
 */
int push_state_read(struct push_state *s, FILE *in);

/* push_state_begin, push_state_put -- Write a state of COUNT processes, and one of them. Errors of
 * OUT stay with it. */
void push_state_begin(FILE *out, uint64_t taken_ns, uint32_t ended, uint32_t count);
void push_state_put(FILE *out, const struct image *im, const struct sites *sites);

/* push_state_find -- Returns the sites of an image at the time of the state.
 *
 * now  its sites now: those of an image that is older than the state, though not in it, or that was
 *      forked, because it has its parent's numbers.
 * Returns NULL for an image that has begun since.
 */
const struct sites *push_state_find(const struct push_state *s, const struct image *im,
				    const struct sites *now);

/* push_state_free -- Releases it. */
void push_state_free(struct push_state *s);
