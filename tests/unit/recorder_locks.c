/* recorder_locks.c -- who left the hook by longjmp holds no lock any more, whichever it was.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/event/event.h"
#include "tests/lib/recorder.h"

#define WORDS (sizeof(locks) / sizeof(uint32_t))

static uint32_t *image_lock(int i)
{
	struct mu_image *image = rec.image;

	switch (i) {
	case 0:
		return &image->heap.lock;
	case 1:
		return &((struct mu_blocks *)arena_at(image->blocks_root))->lock;
	case 2:
		return &((struct mu_points *)arena_at(image->points))->lock;
	case 3:
		return &image->query_wanted;
	default:
		return NULL;
	}
}

static void hold_all(uint32_t how)
{
	uint32_t *word = (uint32_t *)&locks;

	for (size_t i = 0; i < WORDS; i++)
		word[i] = how;
	for (int i = 0; image_lock(i); i++)
		*image_lock(i) = how;
}

static void all_are_free(void)
{
	const uint32_t *word = (const uint32_t *)&locks;
	uint32_t held = 0;

	for (size_t i = 0; i < WORDS; i++)
		held += word[i];
	EQ_U(held, 0);
	for (int i = 0; image_lock(i); i++)
		EQ_U(*image_lock(i), 0);
}

/* As if a handler had left the hook, which was entered deeper in the stack, by longjmp. */
static __attribute__((noinline)) void leave_hook_locked(uint32_t how)
{
	IS_TRUE(hook_enter() == self);
	hold_all(how);
}

static void after_longjmp(uint32_t how)
{
	leave_hook_locked(how);
	EQ_U(thread_is_inside(self), true);
	struct thread *thread = hook_enter();
	IS_TRUE(thread == self);
	all_are_free();
	if (thread)
		hook_leave(thread);
}

static void on_signal(int number)
{
	(void)number;
	IS_NULL(hook_enter());
	EQ_U(spin_try(&locks.memory), false);
	EQ_U(spin_try(&rec.image->heap.lock), false);
}

/* A signal handler that interrupts the hook takes nothing away from it. */
static void in_the_hook(void)
{
	signal(SIGUSR1, on_signal);
	IS_TRUE(hook_enter() == self);
	hold_all(1);
	raise(SIGUSR1);
	locks_free_all(rec.image);
	hook_leave(self);
}

static void works_again(void)
{
	uint64_t before = memory_for_each(NULL, NULL);

	leave_hook_locked(1);
	hook_leave(hook_enter());
	memory_register(UINT64_C(1) << 40, 4096);
	EQ_U(memory_for_each(NULL, NULL), before + 1);
	memory_unregister(UINT64_C(1) << 40);
	EQ_U(memory_for_each(NULL, NULL), before);
}

int main(void)
{
	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS | MU_CFG_POINTS);
	gate.on = 1;
	after_longjmp(1);
	after_longjmp(SPIN_BROKEN);
	in_the_hook();
	works_again();
	gate.on = 0;
	return done_testing();
}
