/* readable.c -- finding out whether memory of the program is there now.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/readable.h"

#include <errno.h>
#include <linux/futex.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/sys.h"

#define NO_MEMORY (UINT64_C(1) << 63) /* no program can have memory there */
#define NO_HOW (~0u)		      /* no value of rt_sigprocmask's first argument */

/* How the kernel is asked: the first of these that tells an address where nothing can be. */
enum { BY_SIGNAL_MASK, BY_FUTEX, BY_MINCORE };

static int asked_by = BY_MINCORE;

/* The kernel copies the new mask from memory before it looks at the first argument, which is
 * invalid: EFAULT or EINVAL. Nothing is changed. An emulator may look at that argument first.
 * Source: kernel/signal.c of Linux, 2.6.12 to 6.12. */
static long probe_as_signal_mask(uint64_t address)
{
	return SYS4(SYS_rt_sigprocmask, NO_HOW, address, 0, sizeof(uint64_t));
}

/* The kernel compares the word with the last argument, and then wakes none and moves none of those
 * that wait for it. Source: futex(2), FUTEX_CMP_REQUEUE; kernel/futex/requeue.c of Linux 6.12. */
static long probe_as_futex(uint64_t address)
{
	uint64_t word = address & -UINT64_C(4);

	return SYS6(SYS_futex, word, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, word, 0);
}

/* This tells only whether there is memory. */
static long probe_by_mincore(uint64_t address)
{
	unsigned char resident;

	return SYS3(SYS_mincore, address & -(uint64_t)MU_PAGE, MU_PAGE, &resident);
}

void readable_init(void)
{
	if (probe_as_signal_mask(NO_MEMORY) == -EFAULT)
		asked_by = BY_SIGNAL_MASK;
	else if (probe_as_futex(NO_MEMORY) == -EFAULT)
		asked_by = BY_FUTEX;
}

bool readable_page(uint64_t address)
{
	if (sandbox.is_on)
		return false;
	if (likely(asked_by == BY_SIGNAL_MASK))
		return probe_as_signal_mask(address) == -EINVAL;
	if (asked_by == BY_FUTEX)
		return probe_as_futex(address) != -EFAULT;
	return !sys_failed(probe_by_mincore(address));
}
