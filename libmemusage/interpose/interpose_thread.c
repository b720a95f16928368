/* interpose_thread.c -- pthread_create: preparing for a thread before it can have an event.
 *
 * The recorder needs to know where its stack begins, and that there is one more thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <pthread.h>
#include <stddef.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/emulated_pause.h"
#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/enter.h"
#include "libmemusage/lifecycle/threads.h"
#include "libmemusage/tables/stack.h"

/* Attributes without a size stand for the default. pthread_getattr_default_np() would copy the
 * default's set of CPUs, and destroying the copy calls free(): both would count as the program's.
 * pthread_attr_init() allocates nothing, so there is nothing to destroy. */
static uint64_t requested_stack_size(const pthread_attr_t *attr)
{
	pthread_attr_t without_size;
	size_t size = 0;

	if (!real.pthread_attr_getstacksize)
		return 0;
	if (!attr && !pthread_attr_init(&without_size))
		attr = &without_size;
	if (attr)
		real.pthread_attr_getstacksize(attr, &size);
	return size;
}

static void *begin_thread(void *argument)
{
	struct thread *thread = argument;
	void *(*start)(void *) = thread->start;
	void *start_argument = thread->start_argument;

	/* An earlier event may have attached it, in a TLS constructor for example. */
	if (!has_self()) {
		stack_find(thread, (uint64_t)__builtin_frame_address(0), thread->pub.stack_size);
		thread_attach(thread);
	} else {
		thread_discard(thread);
	}
	return start(start_argument);
}

EXPORT int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *),
			  void *argument)
{
	if (unlikely(!real.pthread_attr_getstacksize)) {
		real_resolve_late();
		thread_key_init();
	}
	/* A forked child begins before it has a second thread, which could fork meanwhile. */
	if (!gate.on)
		enter_for_start();
	struct thread *thread = gate.on ? thread_prepare() : NULL;

	if (!thread)
		return real.pthread_create(id, attr, start, argument);
	thread_switch_to_many();
	thread->start = start;
	thread->start_argument = argument;
	emulated_pause();
	thread->pub.stack_size = requested_stack_size(attr);
	emulated_resume();
	int error = real.pthread_create(id, attr, begin_thread, thread);
	if (error)
		thread_discard(thread);
	return error;
}
