/* recorder_pause.c -- a process that began asleep is awake after a start, whatever another thread that
 * is about to put it to sleep again has seen before.
 *
 * The other thread's event is single-stepped: before each of its instructions a client's request is
 * taken, and before each from there on recording starts. So each order of the two is met once, and
 * none of them depends on the scheduler.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/pause.h"

#include <signal.h>
#include <ucontext.h>

#include "libmemusage/image/asleep.h"
#include "libmemusage/requests/marks.h"
#include "tests/lib/recorder.h"

#ifndef __x86_64__

int main(void)
{
	skip_all("single steps are made on x86-64 only");
}

#else

#define TRAP_FLAG 0x100
enum { NEVER = 1000000 };

/* Instructions of the event: made so far, and before which ones the request is served. */
static unsigned int step, take_at, start_at;

static void take_request(void)
{
	__atomic_exchange_n(&rec.image->request, MU_REQUEST_NONE, __ATOMIC_ACQ_REL);
}

static void on_step(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	if (step == take_at)
		take_request();
	if (step == start_at) {
		pause_start(self);
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	}
	step++;
}

/* The red zone is the compiler's. */
static void set_trap_flag(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\torq %0, (%%rsp)\n\tpopfq\n\t"
			 "lea 128(%%rsp), %%rsp"
			 :
			 : "i"(TRAP_FLAG)
			 : "cc", "memory");
}

static void clear_trap_flag(void)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\tandq %0, (%%rsp)\n\tpopfq\n\t"
			 "lea 128(%%rsp), %%rsp"
			 :
			 : "i"(~TRAP_FLAG)
			 : "cc", "memory");
}

/* A client has woken the process, and another thread is about to serve its request. */
static void begin_asleep(uint32_t serial)
{
	struct mu_image *im = rec.image;

	pause_stop(self);
	__atomic_store_n(&im->recorded.starts, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&im->request, MU_REQUEST_START, __ATOMIC_SEQ_CST);
	__atomic_store_n(&im->recorded.awake, serial, __ATOMIC_SEQ_CST);
}

/* Returns how many instructions the event had, up to the start. */
static unsigned int have_event(unsigned int take, unsigned int start)
{
	static uint32_t serial;

	begin_asleep(++serial);
	step = 0;
	take_at = take;
	start_at = start;
	set_trap_flag();
	pause_holds();
	clear_trap_flag();
	return step;
}

static bool can_step(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	return have_event(NEVER, NEVER) > 0;
}

static void starts(void)
{
	unsigned int count, asleep = 0, sleeps = 0, orders = 0;

	count = have_event(NEVER, NEVER);
	OK(count >= 20, "the event has %u instructions", count);
	OK(!is_asleep(), "it is awake while there is a request");
	for (unsigned int take = 0; take < count; take++) {
		for (unsigned int start = take; start < count; start++, orders++) {
			have_event(take, start);
			asleep += is_asleep();
		}
		/* The client was killed, or its request does not start anything. */
		have_event(take, NEVER);
		sleeps += is_asleep();
	}
	diag("%u orders, %u times asleep without a start", orders, sleeps);
	EQ_U(asleep, 0);
	OK(sleeps > 0, "it sleeps again where the request was taken before it looked");
	OK(sleeps < count, "... and not where it was taken later");
}

/* A client that was killed: there is no request, and it sleeps again. */
static void killed_client(void)
{
	begin_asleep(UINT32_MAX / 2);
	take_request();
	pause_holds();
	OK(is_asleep(), "it sleeps again where there is no request");
}

int main(void)
{
	recorder_image(UINT64_C(64) << 20, MU_CFG_START_PAUSED);
	pause_open_gate();
	gate.on = true;
	OK(is_asleep(), "it begins asleep");
	killed_client();
	if (can_step())
		starts();
	else
		skip("no single steps here");
	return done_testing();
}

#endif
