/* stack_walk.h -- Walks the stacks of threads, frame by frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/unwind/stack_frames.h"

/* Takes frames, the innermost of a thread first. Returns false to end the walk. */
typedef bool stack_walk_fn(void *data, const struct stack_frame *frame);

/* The stack of a thread. */
struct stack_walk {
	const struct call_library *library;
	const struct stack_thread *thread;
	uint32_t count; /* of threads */
	const struct stack_objects *objects;
};

/* stack_walk -- Calls VISIT for the frames of all threads.
 *
 * May crash, hang or take all memory if a stack or a file is bad enough: done in a child process.
 */
void stack_walk(const struct stack_walk *w, stack_walk_fn *visit, void *data);
