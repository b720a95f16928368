/* walk.h -- the call stack of every event, from the part that changed since the last one.
 *
 * Each thread remembers its last stack: per frame the address of its return-address slot and
 * the value there. The next event unwinds from the inside only until it meets a remembered
 * frame whose slot, and all slots outside it, still hold the same values. For frames whose
 * CFA is sp + constant that proves the rest: the same return address in the same slot means
 * the same next slot. A frame that depends on bp (or on a third word, gcc's realigned frames)
 * adds the word that bp came from to what is compared. Nothing is ever written to the stack,
 * so exceptions, longjmp and coroutines cannot break it.
 *
 * On the thread's own stack the remembered frames are compared before the walk, in any order: all
 * from the present slot outward can be read. On other stacks only those are compared that the walk
 * reaches, from the inside outward, and the kernel is asked for each page: see stack_memory.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/unwind/cfi.h"
#include "libmemusage/unwind/stack_memory.h"

#define WALK_FRAMES 1024u /* remembered, and the most that one stack keeps */
#define WALK_CHECKS 256u
#define WALK_JUDGED_AFTER 2048u /* events of a thread until recall.c judges whether it pays */

/* In a slot: pc is not a return address but that of an interrupted instruction. Only in stacks that
 * are not used next time. */
#define WALK_EXACT UINT64_C(1)

struct walk_frame {
	uint64_t slot; /* address of the return address */
	uint64_t pc;   /* value there */
	uint64_t bp;   /* in this frame, if uses_bp */
	uint64_t hash; /* of this frame and all outside it */
};

/* A word besides the return addresses that the remembered stack depends on. */
struct walk_check {
	uint64_t at;
	uint64_t value;
	uint32_t frame; /* index of the frame that depends on it */
	uint32_t is_bp; /* it is bp in that frame */
};

/* All general registers of a frame, as walk_slow.c follows them. */
struct walk_registers {
	uint64_t reg[CFI_REGS];
	uint64_t slot; /* where reg[CFI_RA] was read */
	bool exact;    /* reg[CFI_RA] is the instruction itself, not the one after a call */
};

/* The temporary memory of an event. It is here because the event's stack may have no room, as a
 * signal handler's. */
struct walk_work {
	struct cfi_workspace cfi;
	struct walk_registers inner, outer;
};

struct walk {
	struct stack_view stack; /* that is remembered */
	uint32_t count;	     /* frames, outermost first */
	uint32_t checks;
	uint32_t generation; /* of the rules they were made with */
	uint64_t joined_bp_at; /* where bp was read that the outermost new frame left, 0 nowhere */
	uint32_t kept;	       /* frames of the stack found last that were remembered before */
	struct recall *recall; /* what recall.c has, NULL nothing yet */
	uint32_t look_in, look_every; /* events until the clock is read, and between */
	uint64_t look_tick;	      /* what it was then */
	uint32_t judge_in;	      /* so many events more, and those of look_in, ... */
	bool recalls;		      /* ... are looked for in recall, or are not ... */
	uint32_t pause;		      /* ... for so many events, should that not pay */
	uint32_t label; /* thread->label: sites of different labels are different */
	uint32_t key;	/* of label and generation, unless that is 0; walk_renew_key() */
	uint32_t site, site_generation; /* what sites_find() said last, ... */
	uint64_t site_hash;		/* ... and for what; 0 nothing */
	bool known_only; /* only known rules may be used: emulated_event.h */
	uint64_t uses_bp[WALK_FRAMES / 64]; /* bit per frame: bp decides what is outside */
	uint8_t flags[WALK_FRAMES]; /* enum mu_stack_flag of this frame and all outside it */
	struct walk_frame frame[WALK_FRAMES];
	struct walk_check check[WALK_CHECKS];
	struct walk_work work;
	/* Frames met in this event, innermost first. */
	struct walk_new {
		uint64_t slot, pc, bp;
		uint64_t bp_at; /* where bp was read, 0: from the inner frame */
		uint64_t drap_at, drap_value;
		bool needs_bp; /* its own rule uses bp */
		bool keeps_bp; /* its caller has the same bp */
		bool is_guess; /* stepped by frame pointer, without tables */
	} new[WALK_FRAMES];
};

extern HIDDEN uint32_t walk_generation;

/* walk_renew_key -- make the key by which recall.c knows that label and generation are the same.
 *
 * There are less than 2^12 sets of labels. */
static inline void walk_renew_key(struct walk *walk)
{
	walk->key = walk->generation ^ walk->label << 20;
}

/* walk_is_on -- return whether the remembered frames belong to the stack of a slot. */
static inline bool walk_is_on(const struct walk *walk, uint64_t slot)
{
	return stack_memory_holds(&walk->stack, slot) &&
	       walk->generation == __atomic_load_n(&walk_generation, __ATOMIC_ACQUIRE);
}

/* walk_word -- return a word of the stack that may be read (stack_memory.h). */
static inline uint64_t walk_word(uint64_t address)
{
	return *(const uint64_t *)address;
}

/* walk_uses_bp -- return whether bp in a remembered frame decides what is outside of it. */
static inline bool walk_uses_bp(const struct walk *walk, uint32_t frame)
{
	return walk->uses_bp[frame / 64] >> (frame % 64) & 1;
}

/* walk_count_unchanged -- return how many remembered frames that the walk has met are unchanged.
 *
 * joint  the walk has reached this frame, counted from the outermost: same slot, and same bp if
 *        that matters. stack_memory_begin() was called for this event.
 * Returns joint if all of them are unchanged; else how many are outside of one that is not: these
 * may be unchanged or not. Async-signal-safe. Cost 1 ns for each frame; 100 ns for each page.
 */
uint32_t walk_count_unchanged(struct walk *walk, uint32_t joint);

/* walk_begin_thread -- prepare the walk of a record that another thread had before.
 *
 * walk  may be NULL. Its remembered frames are another thread's, on a stack that may be gone.
 */
void walk_begin_thread(struct walk *walk);

/* walk_look_again -- for the next event, find out again which stack it is on.
 *
 * walk  the calling thread's, or NULL. Its alternate signal stack has changed. Async-signal-safe.
 */
void walk_look_again(struct walk *walk);

/* walk_init -- prepare for walking stacks. Returns false without memory. */
bool walk_init(void);

/* walk_forget -- invalidate all remembered frames, since objects were closed. */
void walk_forget(void);

/* walk_stack -- unwind the calling thread's stack.
 *
 * slot     address of the return address of the interposed function.
 * bp       frame pointer of its caller.
 * Returns  the thread's walk: frame[0..count) outermost first, flags; NULL without memory.
 * Async-signal-safe. Cost 10-30 ns at usual depths; 2 us for each new return address.
 */
struct walk *walk_stack(struct thread *thread, uint64_t slot, uint64_t bp);

/* walk_start_empty -- return an empty stack for walk_push(), which is not used for later events.
 *
 * Returns NULL without memory.
 */
struct walk *walk_start_empty(struct thread *thread);

/* walk_push -- add a frame inside the innermost: the instruction that runs there.
 *
 * pc  its address. To be undone by walk_pop() before the next walk. A full stack stays as it is.
 */
void walk_push(struct walk *walk, uint64_t pc);

/* walk_pop -- remove the frames that were pushed since the stack had `count` frames. */
void walk_pop(struct walk *walk, uint32_t count);
