/* borrow.h -- A thread of a stopped process, which makes system calls for us and goes home.
 *
 * Below its stack pointer is put what the kernel puts there for a signal handler, and the return
 * address of a handler: so at any moment, should this process be killed, the thread ends what it
 * does, and is where it was, with its registers and its signal mask. Nothing sends it a signal:
 * neither breakpoints nor single steps are used.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusage/attach/target.h"

struct borrowed {
	struct target *t;
	struct tracee_thread *thread; /* NULL: none */
	uint64_t mask;		      /* its signals that were blocked */
	uint64_t frame;		      /* address of the way home */
};

/* borrow_begin -- Borrows a thread. Needs the mappings, and target_find_code().
 *
 * Returns TARGET_OK, or another result with ERR; TARGET_OWN_STACK if its only thread runs on a
 * stack that the program has made, as that of a coroutine.
 */
enum target_result borrow_begin(struct borrowed *b, struct target *t, struct mu_error *err);

/* borrow_call -- Has the thread make a system call that does not wait.
 *
 * Returns its result, a negative error number if it fails: -ESRCH if the thread is gone.
 */
long borrow_call(struct borrowed *b, long number, const uint64_t argument[6]);

/* borrow_text -- Puts a short text below the stack of the thread, for one call.
 *
 * Returns its address, 0 if that fails.
 */
uint64_t borrow_text(const struct borrowed *b, const char *text);

/* CALL(b, number, argument...) -- the same with the arguments one by one. */
#define CALL(b, number, ...) borrow_call(b, number, (const uint64_t[6]){ __VA_ARGS__ })

/* borrow_run -- Has the thread run FUNCTION(ARGUMENT) on another stack until the word STATE is set.
 *
 * The thread waits at the end of the function to be taken away. Returns that word, or 0 with ERR:
 * if b->thread is NULL then, it has gone home.
 */
uint32_t borrow_run(struct borrowed *b, uint64_t function, uint64_t argument,
		    const struct mu_own_mapping *stack, uint64_t state, struct mu_error *err);

/* borrow_end -- Gives the thread back. Accepts one that is not borrowed. */
void borrow_end(struct borrowed *b);
