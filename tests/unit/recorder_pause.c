/* recorder_pause.c -- a process that began asleep is awake after a start, whatever another thread that
 * is about to put it to sleep again has seen before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/pause.h"

#include <pthread.h>
#include <sched.h>

#include "libmemusage/image/asleep.h"
#include "libmemusage/requests/marks.h"
#include "tests/lib/recorder.h"

enum { ROUNDS = 200000 };

static uint64_t looks;	/* how often the other thread has had an event */
static bool is_over;

static void *have_events(void *data)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		pause_holds();
		__atomic_fetch_add(&looks, 1, __ATOMIC_SEQ_CST);
	}
	return data;
}

/* Returns when events that had begun before are over. */
static void wait_for_events(void)
{
	const uint64_t before = __atomic_load_n(&looks, __ATOMIC_SEQ_CST);

	while (__atomic_load_n(&looks, __ATOMIC_SEQ_CST) < before + 2)
		sched_yield();
}

/* A client has woken the process, and this thread serves its request. */
static void begin_asleep(uint32_t serial)
{
	struct mu_image *im = rec.image;

	pause_stop(self);
	__atomic_store_n(&im->recorded.starts, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&im->request, MU_REQUEST_START, __ATOMIC_SEQ_CST);
	__atomic_store_n(&im->recorded.awake, serial, __ATOMIC_SEQ_CST);
}

static void starts(void)
{
	pthread_t other;
	unsigned int asleep = 0, slept = 0;

	recorder_image(UINT64_C(64) << 20, MU_CFG_START_PAUSED);
	pause_open_gate();
	gate.on = true;
	OK(is_asleep(), "it begins asleep");
	if (pthread_create(&other, NULL, have_events, NULL) != 0)
		return;
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		begin_asleep(i);
		wait_for_events();
		slept += is_asleep();
		__atomic_exchange_n(&rec.image->request, MU_REQUEST_NONE, __ATOMIC_ACQ_REL);
		pause_start(self);
		wait_for_events();
		asleep += is_asleep();
	}
	EQ_U(slept, 0);
	EQ_U(asleep, 0);
	/* A client that was killed: there is no request, and it sleeps again. */
	begin_asleep(ROUNDS + 1);
	__atomic_store_n(&rec.image->request, MU_REQUEST_NONE, __ATOMIC_SEQ_CST);
	wait_for_events();
	OK(is_asleep(), "it sleeps again where there is no request");
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
}

int main(void)
{
	starts();
	return done_testing();
}
