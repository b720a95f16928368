/* recorder.c -- the state of the recorder in this process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/recorder.h"

#include <linux/futex.h>

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

static const uint32_t always_awake = 1;

struct gate gate;
struct recorder rec = { .awake = &always_awake };

static bool word_samples(uint32_t word)
{
	return word & GATE_PLAIN && word >> 16 & MODE_SAMPLE && !(word >> 16 & MODE_PAUSED);
}

/* The thread that stores last has seen what the others changed. */
static void follow_gate(void)
{
	bool samples;

	do {
		samples = word_samples(__atomic_load_n(&gate.word, __ATOMIC_SEQ_CST));
		__atomic_store_n(&gate.sample_limit, samples ? SAMPLE_PASS_LIMIT : 0,
				 __ATOMIC_SEQ_CST);
		__atomic_store_n(&gate.samples, samples, __ATOMIC_SEQ_CST);
	} while (samples != word_samples(__atomic_load_n(&gate.word, __ATOMIC_SEQ_CST)));
}

void gate_change_mode(unsigned int set, unsigned int clear)
{
	__atomic_fetch_or(&gate.mode, (uint16_t)set, __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&gate.mode, (uint16_t)~clear, __ATOMIC_SEQ_CST);
	follow_gate();
}

void gate_switch(bool on)
{
	__atomic_store_n(&gate.on, on, __ATOMIC_SEQ_CST);
	follow_gate();
}

void recorder_forget_sleep(void)
{
	rec.awake = &always_awake;
}

bool recorder_is_on(void)
{
	return (rec.state == STATE_ON || rec.state == STATE_FORKED) && rec.pid == sys_getpid();
}

void recorder_wake(void)
{
	struct mu_segment *segment = rec.segment;

	__atomic_fetch_add(&segment->wake, 1, __ATOMIC_SEQ_CST);
	if (unlikely(sandbox.is_on))
		return;
	if (__atomic_load_n(&segment->collector_waits, __ATOMIC_SEQ_CST) &&
	    __atomic_exchange_n(&segment->collector_waits, 0, __ATOMIC_SEQ_CST))
		SYS4(SYS_futex, &segment->wake, FUTEX_WAKE, 1, 0);
}
