/* stall_watch.c -- End this process when it waits for something that does not come.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/stall_watch.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "memusage/common/clock.h"

enum { STACK_BYTES = 64 << 10 };

/* There is one in a process. */
static struct {
	void (*on_stall)(int data);
	int data;
	clockid_t used; /* by the thread that is watched */
} watch;

/* Seconds are counted and not measured: a stopped process counts none. */
static void *watch_thread(void *unused)
{
	const struct timespec second = { .tv_sec = 1 };
	uint64_t before = UINT64_MAX;

	for (int idle = 0; idle < STALL_SECONDS;) {
		const uint64_t used = clock_now(watch.used);

		idle = used == before ? idle + 1 : 0;
		before = used;
		nanosleep(&second, NULL);
	}
	watch.on_stall(watch.data);
	_exit(0);
	return unused;
}

void stall_watch_begin(void (*on_stall)(int data), int data)
{
	pthread_attr_t attr;
	pthread_t thread;

	watch.on_stall = on_stall;
	watch.data = data;
	if (pthread_getcpuclockid(pthread_self(), &watch.used) != 0)
		return;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES > PTHREAD_STACK_MIN ? STACK_BYTES :
									   PTHREAD_STACK_MIN);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, watch_thread, NULL);
	pthread_attr_destroy(&attr);
}
