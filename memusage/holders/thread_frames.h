/* thread_frames.h -- The frames on the stacks of a snapshot.
 *
 * Only what the snapshot has copied is read: the process is not stopped for this.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/heap_graph.h"
#include "memusage/examine/process_modules.h"
#include "profile/unwind/stack_frames.h"

struct thread_frames {
	struct stack_frames all; /* threads are numbered as in the snapshot */
	const struct snapshot *s;
};

/* thread_frames_find -- Finds them.
 *
 * m  of S.
 * Looks at the 1,048,576 bytes from each thread's stack pointer on at most, and at
 * STACK_FRAMES_MOST frames. None without libdw. Cost 0.2 ms for each object that has code on a
 * stack, 5 us for each frame.
 */
void thread_frames_find(struct thread_frames *f, const struct snapshot *s,
			const struct process_modules *m);

/* thread_frames_of_pointer -- Returns the number of the frame that has a pointer, or
 * STACK_FRAMES_NONE.
 *
 * root  what the pointer P is in, a stack or registers.
 */
uint32_t thread_frames_of_pointer(const struct thread_frames *f, const struct root *root,
				  const struct root_pointer *p);

/* thread_frames_thread -- Returns the ID of the thread of a frame. */
pid_t thread_frames_thread(const struct thread_frames *f, uint32_t frame);

/* thread_frames_free -- Releases everything. Accepts a zeroed struct. */
void thread_frames_free(struct thread_frames *f);
