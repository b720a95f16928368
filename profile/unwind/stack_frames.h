/* stack_frames.h -- The frames of stopped threads: which part of a stack belongs to which function.
 *
 * A frame has the stack from where the stack pointer is while its function runs to where it will be
 * when the function has returned. A function that uses one of the registers that its caller relies
 * on saves it in its own frame: such a word belongs to that caller, or to the nearest one that uses
 * the register itself; so does the register.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/unwind/call_frame.h"

#define STACK_FRAMES_NONE UINT32_MAX

enum { STACK_FRAMES_MOST = 4096 }; /* of a thread */

/* A function on a stack. */
struct stack_frame {
	uint64_t low, high;	   /* its part of the stack: [low, high) */
	uint64_t code;		   /* an address in what it does: the call, or what runs next */
	uint64_t saved[CALL_KEPT]; /* where it has saved its caller's registers, 0: it has not */
	uint32_t thread;	   /* number of struct stack_thread */
	uint32_t depth;		   /* 0: the innermost of the thread */
};

struct stack_frames {
	struct stack_frame *frame; /* ascending by `low`; no two share a byte */
	uint32_t count;
	uint32_t *innermost; /* by number of thread: its frame, STACK_FRAMES_NONE none; private */
	uint32_t threads;
};

/* A thread to be unwound. */
struct stack_thread {
	struct call_state state;
	struct call_memory memory;
};

/* The objects with the code, by numbers of the caller's. */
struct stack_objects {
	uint32_t count;
	const struct elf_file *file; /* of each; one whose data is NULL is not known */
	/* find -- Returns the number of the object that has an address, and its bias, or
	 * STACK_FRAMES_NONE. */
	uint32_t (*find)(const void *data, uint64_t address, uint64_t *bias);
	const void *data;
};

/* stack_frames_find -- Finds the frames of COUNT threads.
 *
 * Done in a child process with limits on time and memory, because stacks and tables may be made to
 * harm: what the child had not found when it broke is missing. At most
 * STACK_FRAMES_MOST of a thread are found. None without libdw.
 */
void stack_frames_find(struct stack_frames *f, const struct stack_thread *thread, uint32_t count,
		       const struct stack_objects *objects);

/* stack_frames_at -- Returns the number of the frame to which the word at an address belongs, or
 * STACK_FRAMES_NONE. */
uint32_t stack_frames_at(const struct stack_frames *f, uint64_t address);

/* stack_frames_of_register -- Returns the frame to which a register of a thread belongs.
 *
 * reg  as the ABI numbers them; CALL_REGISTERS: any that no function keeps.
 */
uint32_t stack_frames_of_register(const struct stack_frames *f, uint32_t thread, unsigned int reg);

/* stack_frames_free -- Releases everything. Accepts a zeroed struct. */
void stack_frames_free(struct stack_frames *f);
