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
