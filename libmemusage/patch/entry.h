/* entry.h -- hooks before and after a function that is not called through a symbol.
 *
 * The first instructions of the function are moved to a thunk, and a jump to the thunk takes
 * their place. The thunk keeps every register and the flags, calls `before`, lets the function
 * run, and calls `after`. So callers that rely on which registers the function leaves alone (gcc's
 * -fipa-ra) find them as they expect. A function is refused, with a reason, unless all of its code
 * is understood well enough (docs/design.md, "Patching").
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/patch/patch.h"
#include "libmemusage/tables/blocks.h"

#define ENTRIES 512u
#define ENTRY_JUMP 5u  /* bytes of the jump, at most one moved instruction each */

struct entry_hook;

/* A call that is under way, on the stack. x86_64/patch_entry.S relies on the layout. */
struct entry_call {
	const struct entry_hook *entry;
	struct block block;    /* for before() to leave something to after() */
	uint64_t note[3];      /* likewise */
	uint64_t original;     /* where the function goes on */
	uint64_t r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax;
	uint64_t flags;
	uint64_t caller_bp;	 /* this and the next are the stack frame of an event */
	uint64_t return_address;
};

/* Where the moved instructions were in the function, from `place`, and are in the thunk. */
struct entry_moves {
	uint8_t taken; /* bytes of the function */
	uint8_t end;   /* of what was moved, in the thunk */
	uint8_t count;
	uint8_t from[ENTRY_JUMP], to[ENTRY_JUMP];
};

/* Where a thunk leads to, in assembly. */
typedef void entry_arrival_fn(void);

/* Both functions run with all registers saved, on the stack of the call. They must use general
 * registers only, and keep errno. before() returns whether after() is wanted; if not, the function
 * runs as if it had been called directly. after() finds the result in rax. A function that is left
 * by an exception or longjmp() has no after(). */
struct entry_hook {
	bool (*before)(struct entry_call *call);
	void (*after)(struct entry_call *call);
	const void *data;  /* the hook's own */
	entry_arrival_fn *arrival; /* where the thunk leads to, with the number of the hook on the
				* stack; NULL: the general way, which keeps all registers */
	uint64_t place;	   /* of the jump */
	uint64_t function; /* address of the function */
	uint64_t size;	   /* of its code, bytes */
	uint64_t original; /* its first instructions, in the thunk */
	uint64_t thunk;
	struct entry_moves moves;
};

enum entry_flag {
	ENTRY_NEW_OBJECT = 1,  /* the object was just mapped: no thread can be in it */
	ENTRY_STRICT = 2, /* search all of its code for what a moved stack would break: needed
			   * unless it is known to take no arguments on the stack */
	ENTRY_TRY = 4	  /* change nothing: only return whether it can be done */
};

/* entry_patch -- intercept a function.
 *
 * p      from patch_begin().
 * entry  before, data, function and size are set, after may be NULL; copied.
 * flags  enum entry_flag.
 * Returns NULL, or why not: a constant text that completes "NAME: ".
 * Cost some us; strict some 10 us.
 */
const char *entry_patch(const struct patch *p, const struct entry_hook *entry, unsigned int flags);

/* entry_hooks -- return all that were patched so far, and set their number. */
const struct entry_hook *entry_hooks(uint32_t *count);

/* entry_original -- return the address by which an intercepted function is called without its
 * hooks, 0 if it is not intercepted. An object can be unloaded and come back unpatched. */
uint64_t entry_original(uint64_t function);

/* entry_argument -- return an argument of the call, 1 to 6, as the caller passed it. */
uint64_t entry_argument(const struct entry_call *call, unsigned int number);

/* entry_enter -- hook_enter() for before() and after(); safe for the first event of a thread,
 * too. */
struct thread *entry_enter(void);

/* The module that intercepts. An allocator may call another one that is intercepted, too: a pool
 * takes its memory from the program's own malloc, which counts, or malloc forwards to je_malloc,
 * which does not. */
enum entry_layer { ENTRY_BUILTIN, ENTRY_SYMBOL, ENTRY_LAYERS };

/* entry_is_outer -- return whether the call is not made by another intercepted function.
 *
 * layer  calls under way in this or a lower one are looked at.
 * Call in before(). A call that was left by an exception or longjmp() is noticed. Marks this
 * call as the outer one of its layer if so.
 */
bool entry_is_outer(const struct entry_call *call, enum entry_layer layer);

/* entry_ends -- note the end of the outer call. Call in after(). */
void entry_ends(const struct entry_call *call, enum entry_layer layer);

/* entry_call_sp -- return what event_alloc() and its kin take as the place of the call. */
static inline uint64_t entry_call_sp(const struct entry_call *call)
{
	return (uint64_t)&call->caller_bp;
}

/* entry_returns_also -- tell the two addresses to which functions return that came by another
 * arrival, which has set the outermost call of ENTRY_BUILTIN. */
void entry_returns_also(uint64_t one, uint64_t other);

/* entry_returned -- return the address to which an intercepted function returns; stacks leave that
 * frame out. */
uint64_t entry_returned(void);
