/* moving.h -- memory that another writes to while it is read, at chosen reads or all the time.
 *
 * What a hostile process does to its recording between two reads of a reader decides whether the
 * reader is fooled. Two ways to try it:
 *
 *   moving_begin()  The memory cannot be touched: each instruction that does faults, is executed
 *                   alone, and a script says after which of them the word that was read changes, and
 *                   how. The same script does the same in every run. x86-64.
 *   racing_begin()  Another thread applies the script over and over. For machines with two processors
 *                   and time.
 *
 * A script is a list of struct moving_change.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "recording/recording.h"

/* 4 bytes of an input. `where` counts reads until the change, or is the place of a word. */
struct moving_change {
	uint16_t where;
	uint8_t how;	/* modulo MOVING_HOWS */
	uint8_t value;
};

enum moving_how {
	MOVING_ZERO,
	MOVING_ONES,
	MOVING_SET,	/* to `value` */
	MOVING_ADD,
	MOVING_SUBTRACT,
	MOVING_FLIP,	/* bit `value` */
	MOVING_SHIFT,	/* to the left by `value` bits */
	MOVING_BACK,	/* to what it was at the beginning */
	MOVING_HIGH,	/* the upper half to `value` */
	MOVING_LOW,	/* the lower half to all ones */
	MOVING_SWAP,	/* its halves */
	MOVING_HOWS
};

/* A step takes 10 to 30 us. After so many, or the last change, the memory is let go of. */
enum { MOVING_STEPS_MAX = 2000, MOVING_GAP = 31 };

static struct {
	uint8_t *base;
	size_t size;
	const uint8_t *origin;	/* the same bytes at the beginning */
	const struct moving_change *change;
	size_t changes, next;
	unsigned int gap;	/* reads until the next one */
	unsigned int steps;	/* that were made */
	uintptr_t at;		/* of the read that is being made; 0: none */
	uintptr_t second;	/* ... and in its second page, if it has two */
	struct sigaction old_fault, old_trap;
	volatile bool is_over;	/* racing */
	pthread_t racer;
} moving;

static inline void moving_apply(size_t offset, const struct moving_change *c)
{
	uint64_t word, origin;

	offset &= ~(size_t)7;
	if (moving.size < 8 || offset > moving.size - 8)
		return;
	memcpy(&word, moving.base + offset, sizeof(word));
	memcpy(&origin, moving.origin + offset, sizeof(origin));
	switch ((enum moving_how)(c->how % MOVING_HOWS)) {
	case MOVING_ZERO: word = 0; break;
	case MOVING_ONES: word = UINT64_MAX; break;
	case MOVING_SET: word = c->value; break;
	case MOVING_ADD: word += c->value; break;
	case MOVING_SUBTRACT: word -= c->value; break;
	case MOVING_FLIP: word ^= UINT64_C(1) << (c->value & 63); break;
	case MOVING_SHIFT: word <<= c->value & 63; break;
	case MOVING_BACK: word = origin; break;
	case MOVING_HIGH: word = (word & UINT32_MAX) | (uint64_t)c->value << 32; break;
	case MOVING_LOW: word |= UINT32_MAX; break;
	case MOVING_SWAP: word = word << 32 | word >> 32; break;
	case MOVING_HOWS: break;
	}
	__atomic_store_n((uint64_t *)(void *)(moving.base + offset), word, __ATOMIC_RELAXED);
}

/* ---- step by step ------------------------------------------------------------------------ */

#ifdef __x86_64__
#define MOVING_STEP_FLAG 0x100

/* The word that was just read changes, if the script says so. */
static inline void moving_step(uintptr_t at)
{
	moving.steps++;
	if (moving.next == moving.changes || moving.gap-- > 0)
		return;
	moving_apply(at - (uintptr_t)moving.base, &moving.change[moving.next++]);
	if (moving.next < moving.changes)
		moving.gap = moving.change[moving.next].where & MOVING_GAP;
}

/* The pages of LENGTH bytes at AT, as far as they are ours. */
static inline void moving_protect(uintptr_t at, size_t length, int how)
{
	const uintptr_t page = at & ~(uintptr_t)(MU_PAGE - 1);
	const size_t left = (uintptr_t)moving.base + moving.size - page;

	length += at - page;
	mprotect((void *)page, length < left ? length : left, how);
}

static inline void moving_lock(uintptr_t at, size_t length)
{
	if (moving.next == moving.changes || moving.steps >= MOVING_STEPS_MAX)
		mprotect(moving.base, moving.size, PROT_READ | PROT_WRITE);
	else
		moving_protect(at, length, PROT_NONE);
}

/* `rep movsb` would fault for every byte: it is done here. Returns whether it was one. */
static inline bool moving_copy(greg_t *r, uintptr_t at)
{
	const uint8_t *code = (const uint8_t *)r[REG_RIP];
	const size_t length = (size_t)r[REG_RCX];

	if (code[0] != 0xf3 || code[1] != 0xa4 || r[REG_EFL] & 0x400)
		return false;
	moving_protect(at, length, PROT_READ | PROT_WRITE);
	memmove((void *)r[REG_RDI], (const void *)r[REG_RSI], length);
	r[REG_RDI] += r[REG_RCX];
	r[REG_RSI] += r[REG_RCX];
	r[REG_RCX] = 0;
	r[REG_RIP] += 2;
	moving_step(at);
	moving_lock(at, length);
	return true;
}

static inline void moving_on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t at = (uintptr_t)info->si_addr, base = (uintptr_t)moving.base;

	if (sig != SIGSEGV || at < base || at >= base + moving.size || moving.second) {
		/* A fault of the reader: the next one is for whoever wants to tell of it. */
		sigaction(SIGSEGV, &moving.old_fault, NULL);
		return;
	}
	if (!moving.at && moving_copy(r, at))
		return;
	moving_protect(at, 1, PROT_READ | PROT_WRITE);
	if (moving.at)
		moving.second = at;
	else
		moving.at = at;
	r[REG_EFL] |= MOVING_STEP_FLAG;
}

static inline void moving_on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	(void)info;
	r[REG_EFL] &= ~(greg_t)MOVING_STEP_FLAG;
	if (!moving.at)
		return;
	moving_step(moving.at);
	moving_lock(moving.at, 1);
	if (moving.second)
		moving_lock(moving.second, 1);
	moving.at = moving.second = 0;
}

/* moving_begin -- from now on each read of BASE is a step.
 *
 * base    page-aligned memory of SIZE bytes.
 * origin  a copy of it.
 * change  CHANGES entries, at least one.
 */
static inline void moving_begin(uint8_t *base, size_t size, const uint8_t *origin,
				const struct moving_change *change, size_t changes)
{
	struct sigaction action = { .sa_sigaction = moving_on_fault, .sa_flags = SA_SIGINFO };

	moving.base = base;
	moving.size = size;
	moving.origin = origin;
	moving.change = change;
	moving.changes = changes;
	moving.next = moving.steps = 0;
	moving.at = moving.second = 0;
	moving.gap = change[0].where & MOVING_GAP;
	sigfillset(&action.sa_mask);
	sigaction(SIGSEGV, &action, &moving.old_fault);
	action.sa_sigaction = moving_on_trap;
	sigaction(SIGTRAP, &action, &moving.old_trap);
	mprotect(base, size, PROT_NONE);
}

/* moving_end -- the memory is memory again. Returns the steps that were made. */
static inline unsigned int moving_end(void)
{
	mprotect(moving.base, moving.size, PROT_READ | PROT_WRITE);
	sigaction(SIGSEGV, &moving.old_fault, NULL);
	sigaction(SIGTRAP, &moving.old_trap, NULL);
	return moving.steps;
}
#endif

/* ---- all the time ------------------------------------------------------------------------ */

static inline void *racing_run(void *data)
{
	size_t i = 0;

	(void)data;
	/* The upper bits of `how` choose one of two words at the place. */
	while (!moving.is_over) {
		const struct moving_change *c = &moving.change[i];

		moving_apply((size_t)c->where * 16 + (c->how & 128 ? 8 : 0), c);
		i = (i + 1) % moving.changes;
	}
	return NULL;
}

/* racing_begin -- from now on another thread writes to BASE. As moving_begin(). */
static inline bool racing_begin(uint8_t *base, size_t size, const uint8_t *origin,
				const struct moving_change *change, size_t changes)
{
	moving.base = base;
	moving.size = size;
	moving.origin = origin;
	moving.change = change;
	moving.changes = changes;
	moving.is_over = false;
	return changes > 0 && pthread_create(&moving.racer, NULL, racing_run, NULL) == 0;
}

static inline void racing_end(void)
{
	moving.is_over = true;
	pthread_join(moving.racer, NULL);
}
