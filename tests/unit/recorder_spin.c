/* recorder_spin.c -- the wait for a lock whose holder has gone ends on a busy machine, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/spin.h"

#include <pthread.h>
#include <sched.h>

#include "libmemusage/base/clock.h"
#include "tests/lib/recorder.h"

enum { BUSY = 2, LEFT = 20000 }; /* threads; short yields until the bound */

static bool is_over;

static void turns(void)
{
	static const struct {
		uint64_t ns;
		unsigned int want;
	} t[] = {
		{ 0, 1 },
		{ 300, 1 },
		{ 24999, 1 },
		{ 25000, 2 },
		{ 1000000, 41 },
		{ 99974999, 3999 },
		{ 99975000, 4000 },
		{ 200000000, 4000 },
		{ UINT64_C(3600000000000), 4000 },
		{ UINT64_MAX, 4000 },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		EQ_U(spin_turns(t[i].ns), t[i].want);
}

static void *be_busy(void *data)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		;
	return data;
}

/* Whatever this machine does besides, the threads of this process are on one CPU. */
static bool share_one_cpu(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return false;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static unsigned int count_yields(void)
{
	unsigned int turn = SPIN_PAUSES + SPIN_YIELDS - LEFT, count = 1;

	while (spin_backoff(&turn))
		count++;
	return count;
}

/* Each yield is as long as the slice of another thread. */
static void yields_on_a_busy_cpu(void)
{
	pthread_t busy[BUSY];
	unsigned int count, made = 0;

	if (!share_one_cpu()) {
		skip("this process may not choose its CPU");
		return;
	}
	while (made < BUSY && !pthread_create(&busy[made], NULL, be_busy, NULL))
		made++;
	EQ_U(made, BUSY);
	count = count_yields();
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < made; i++)
		pthread_join(busy[i], NULL);
	OK(count >= LEFT / SPIN_TURNS_MAX, "there are %u yields at least", count);
	OK(count < LEFT / 2, "%u long yields count as %d short ones", count, LEFT);
}

int main(void)
{
	turns();
	clock_init();
	yields_on_a_busy_cpu();
	return done_testing();
}
