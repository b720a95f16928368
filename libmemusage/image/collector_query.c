/* collector_query.c -- asking the collector for the code of a file, or an examination of this
 * process, and waiting for the answer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/collector_query.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/registration.h"

#define BEGIN_NS UINT64_C(30000000000)
#define ANSWER_NS UINT64_C(120000000000)
#define GONE_NS UINT64_C(2000000000) /* in which a killed collector is replaced */
#define NAP_NS 100000000 /* a wake may be lost with the thread that was to send it */

void collector_query_init(void)
{
	rec.collector_is_mute = false;
	collector_query_name_tracer();
}

void collector_query_name_tracer(void)
{
	/* The number is another process's in a PID namespace whose first process this is, or which
	 * its parent has entered. */
	if (rec.pid == 1 || SYS1(SYS_getppid, 0) == 0)
		rec.collector = 0;
	if (rec.flags & MU_CFG_STACKS && rec.collector)
		SYS2(SYS_prctl, PR_SET_PTRACER, rec.collector);
}

static void sleep_on_word(uint32_t *word, uint32_t value)
{
	const struct timespec time = { .tv_nsec = NAP_NS };

	SYS4(SYS_futex, word, FUTEX_WAIT, value, &time);
}

static void publish_state(uint32_t state)
{
	__atomic_store_n(&rec.image->query_state, state, __ATOMIC_RELEASE);
	recorder_wake();
}

static bool collector_has_died(void)
{
	return __atomic_load_n(&rec.segment->collector_thread, __ATOMIC_RELAXED) & FUTEX_OWNER_DIED;
}

/* Returns whether the words of the answer are in the image. */
static bool wait_for_answer(void)
{
	struct mu_image *image = rec.image;
	uint64_t began = clock_ns(CLOCK_MONOTONIC), met = began;

	publish_state(MU_QUERY_WANTED);
	for (;;) {
		uint32_t state = __atomic_load_n(&image->query_state, __ATOMIC_ACQUIRE);
		uint64_t now = clock_ns(CLOCK_MONOTONIC), waited = now - began;
		met = collector_has_died() ? met : now;
		if (state == MU_QUERY_DONE || state == MU_QUERY_FAILED)
			return state == MU_QUERY_DONE;
		if (state == MU_QUERY_COUNTED) {
			image->query_offset = arena_alloc(image->query_count * 8 + 8, 64);
			if (!image->query_offset)
				return false;
			publish_state(MU_QUERY_ROOM);
		} else if (waited > (state == MU_QUERY_WANTED ? BEGIN_NS : ANSWER_NS) ||
			   now - met > GONE_NS) {
			rec.collector_is_mute = true;
			return false;
		} else {
			sleep_on_word(&image->query_state, state);
		}
	}
}

/* query_wanted is the lock: 0 when it is free. */
bool collector_query_begin(uint32_t wanted)
{
	uint32_t idle = 0;

	if (__atomic_compare_exchange_n(&rec.image->query_wanted, &idle, wanted, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	sleep_on_word(&rec.image->query_wanted, idle);
	return false;
}

bool collector_query_ask(void)
{
	bool ok = !rec.collector_is_mute && !sandbox.is_on && wait_for_answer();

	rec.image->drops.modules += !ok && !mu_query_is_examination(rec.image->query_wanted);
	return ok;
}

bool collector_query_can_examine(void)
{
	return gate.on && !sandbox.is_on && rec.pid == sys_getpid() &&
	       rec.image->examined.exit_thread == 0;
}

bool collector_query_examine(uint32_t wanted)
{
	/* The examiner need not wait until this thread has left the recorder. */
	rec.image->examined.exit_thread = (uint32_t)sys_gettid();
	/* The program may have named another process since, or the collector is a new one. */
	registration_meet_collector();
	collector_query_name_tracer();
	while (!collector_query_begin(wanted))
		;
	return collector_query_ask();
}

void collector_query_end(void)
{
	__atomic_store_n(&rec.image->query_state, MU_QUERY_IDLE, __ATOMIC_RELEASE);
	__atomic_store_n(&rec.image->query_wanted, 0, __ATOMIC_RELEASE);
	SYS3(SYS_futex, &rec.image->query_wanted, FUTEX_WAKE, 1 << 20);
}
