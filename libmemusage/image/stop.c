/* stop.c -- keeping all other threads out of the hook for a while.
 *
 * The thread that has stopped the others holds locks.stop. locks.stop_state is the number and the
 * kind of the stop in one word, so that a thread that waits for one stop cannot break the next.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/stop.h"

#include <stddef.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/base/signal_mask.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/list_lock.h"
#include "libmemusage/image/thread.h"

/* While a stop is open, threads that have forbidden stops run on: it waits for them. */
enum { STOP_OPEN, STOP_FIRM, STOP_LOOSE, STOP_BROKEN, STOP_KINDS };

#define KIND(state) ((state) % STOP_KINDS)
#define FIRM_ROUNDS 30u	   /* bounds of spin_backoff() until a firm stop is broken */
#define TURN_ROUNDS 1000u  /* stops of others, one after the other, that are waited for */
#define PASS_YIELDS 2000u  /* for waiting threads to have their event */
#define MASK_NEVER UINT64_C(0x40100) /* SIGKILL and SIGSTOP */

/* The calling thread's own stop, and those of others that it forbids. */
static __thread struct {
	bool is_on;
	uint32_t forbids; /* stop_forbid() without stop_allow() */
	struct signal_mask mask; /* the signals that it had blocked itself */
	const uint64_t *returns_at; /* of stop_begin(), and what was there */
	uint64_t returns_to;
} mine;

static uint32_t load_stop_state(void)
{
	return __atomic_load_n(&locks.stop_state, __ATOMIC_ACQUIRE);
}

/* ---- a stop that was left by longjmp ------------------------------------------------------- */

static bool is_on_own_stack(uint64_t address)
{
	return has_self() && self->pub.stack_base - address <= self->pub.stack_size;
}

/* Handlers that libc calls one after the other return to the same address, at the same place on the
 * stack. Nothing outside of the thread's own stack is read: it may be gone. */
static bool is_own_stop_abandoned(void)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0), at = (uint64_t)mine.returns_at;
	struct readable_stack stack = thread_stack_above(here);

	if (!mine.is_on || !at || !is_on_own_stack(here) || !is_on_own_stack(at))
		return false;
	if (here <= at && !readable_on_stack(&stack, at))
		return !sandbox.is_on; /* there the kernel cannot tell */
	return here > at || *mine.returns_at != mine.returns_to;
}

/* siglongjmp() may have given the thread a mask, which stays. */
static void end_abandoned_stop(void)
{
	uint64_t now = ~UINT64_C(0);

	if (mine.mask.is_masked)
		SYS4(SYS_rt_sigprocmask, 0, NULL, &now, sizeof(now));
	mine.mask.is_masked &= !~(now | MASK_NEVER);
	stop_end();
}

/* ---- waiting ------------------------------------------------------------------------------ */

bool stop_is_on(void)
{
	if (!stop_asked())
		return false;
	if (unlikely(is_own_stop_abandoned()))
		end_abandoned_stop();
	if (mine.is_on || !stop_asked())
		return false;
	uint32_t kind = KIND(load_stop_state());
	return kind != STOP_BROKEN && !(kind == STOP_OPEN && mine.forbids);
}

static void break_current_stop(uint32_t state)
{
	uint32_t broken = state - KIND(state) + STOP_BROKEN;

	__atomic_compare_exchange_n(&locks.stop_state, &state, broken, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_RELAXED);
}

void stop_await(void)
{
	uint32_t first = load_stop_state();
	unsigned int rounds = 0;
	bool changes_list = list_lock_must_be_freed();

	for (unsigned int turn = 0; stop_is_on();) {
		uint32_t state = load_stop_state();
		if (state / STOP_KINDS != first / STOP_KINDS)
			return;
		if (!(changes_list && KIND(state) == STOP_LOOSE) && spin_backoff(&turn))
			continue;
		if (KIND(state) == STOP_LOOSE || ++rounds == FIRM_ROUNDS)
			break_current_stop(state);
		turn = SPIN_PAUSES;
	}
}

/* ---- not to be stopped ---------------------------------------------------------------------- */

/* It is 0 already if it was waited for in vain. */
static void leave_forbidden(void)
{
	uint32_t threads = __atomic_load_n(&locks.stop_forbidden, __ATOMIC_RELAXED);

	while (threads && !__atomic_compare_exchange_n(&locks.stop_forbidden, &threads, threads - 1,
						       false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* The next stop lets a thread that waits here pass first. */
static void forbid_after_stop(void)
{
	__atomic_fetch_add(&locks.stop_waiting, 1, __ATOMIC_RELAXED);
	do {
		leave_forbidden();
		stop_await();
		__atomic_fetch_add(&locks.stop_forbidden, 1, __ATOMIC_SEQ_CST);
	} while (stop_is_on());
	__atomic_fetch_sub(&locks.stop_waiting, 1, __ATOMIC_RELEASE);
}

bool stop_forbid(void)
{
	if (!(__atomic_load_n(&gate.mode, __ATOMIC_RELAXED) & MODE_MANY))
		return false;
	__atomic_fetch_add(&locks.stop_forbidden, 1, __ATOMIC_SEQ_CST);
	if (unlikely(stop_is_on()))
		forbid_after_stop();
	mine.forbids++;
	return true;
}

void stop_allow(void)
{
	mine.forbids--;
	leave_forbidden();
}

/* A handler that interrupted the calling thread does not wait for it. */
static bool is_forbidden(void)
{
	return __atomic_load_n(&locks.stop_forbidden, __ATOMIC_ACQUIRE) > mine.forbids;
}

/* One that left by longjmp is not waited for again. */
static void await_allowed(void)
{
	for (unsigned int turn = 0; is_forbidden() && !stop_is_broken();)
		if (!spin_backoff(&turn))
			__atomic_store_n(&locks.stop_forbidden, 0, __ATOMIC_RELAXED);
}

bool stop_keeps_list_locked(void)
{
	return __atomic_load_n(&locks.stop_holders, __ATOMIC_ACQUIRE);
}

/* ---- stopping the others --------------------------------------------------------------------- */

/* Waits as long as one stop follows the other: then each thread gets its turn. A stop that was
 * never ended is not waited for again. */
static bool wait_for_turn(void)
{
	uint32_t seen = load_stop_state();
	unsigned int rounds = 0;

	for (unsigned int turn = 0; !spin_try(&locks.stop);) {
		if (spin_backoff(&turn) && seen + 1 != locks.stop_abandoned)
			continue;
		uint32_t state = load_stop_state();
		if (state / STOP_KINDS == seen / STOP_KINDS)
			__atomic_store_n(&locks.stop_abandoned, seen + 1, __ATOMIC_RELAXED);
		if (state / STOP_KINDS == seen / STOP_KINDS || ++rounds == TURN_ROUNDS)
			return false;
		seen = state;
		turn = SPIN_PAUSES;
	}
	return true;
}

/* Else threads that fork one after the other would keep all others out for ever. */
static void let_waiters_pass(void)
{
	unsigned int turn = 0;

	for (unsigned int i = 0; i < SPIN_PAUSES + PASS_YIELDS; i++) {
		if (!__atomic_load_n(&locks.stop_waiting, __ATOMIC_ACQUIRE))
			return;
		spin_backoff(&turn);
	}
}

/* Unless it was broken meanwhile. */
static void change_kind(uint32_t from, uint32_t to)
{
	uint32_t state = load_stop_state();

	if (KIND(state) == from)
		__atomic_compare_exchange_n(&locks.stop_state, &state, state + to - from, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

bool stop_begin(const uint64_t *returns_at)
{
	struct signal_mask before;

	/* One that is under way called what leads to this one, deeper in the stack. */
	if (is_own_stop_abandoned() || (mine.is_on && returns_at && returns_at >= mine.returns_at &&
					is_on_own_stack((uint64_t)returns_at)))
		end_abandoned_stop();
	if (mine.is_on)
		return false;
	signal_mask_all(&before);
	if (!wait_for_turn()) {
		signal_mask_restore(&before);
		return false;
	}
	let_waiters_pass();
	mine.mask = before;
	mine.returns_at = returns_at;
	mine.returns_to = returns_at ? *returns_at : 0;
	mine.is_on = true;
	uint32_t state = load_stop_state();
	__atomic_store_n(&locks.stop_state, state - KIND(state) + STOP_KINDS, __ATOMIC_RELEASE);
	__atomic_fetch_or(&gate.mode, MODE_STOP, __ATOMIC_SEQ_CST);
	await_allowed();
	change_kind(STOP_OPEN, STOP_FIRM);
	if (thread_quiesce() && !stop_is_broken())
		return true;
	stop_end();
	return false;
}

void stop_loosen(void)
{
	change_kind(STOP_FIRM, STOP_LOOSE);
}

bool stop_is_broken(void)
{
	return KIND(load_stop_state()) == STOP_BROKEN;
}

void stop_end(void)
{
	__atomic_fetch_and(&gate.mode, (uint16_t)~MODE_STOP, __ATOMIC_SEQ_CST);
	mine.is_on = false;
	spin_unlock(&locks.stop);
	signal_mask_restore(&mine.mask);
}

void stop_forked(void)
{
	if (!mine.is_on)
		return;
	mine.is_on = false;
	signal_mask_restore(&mine.mask);
}
