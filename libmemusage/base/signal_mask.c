/* signal_mask.c -- blocking all signals of a thread for a while.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/signal_mask.h"

#include <signal.h>

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

void signal_mask_all(struct signal_mask *mask)
{
	uint64_t all = ~UINT64_C(0);

	mask->is_masked = !sandbox.is_on;
	if (mask->is_masked)
		SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask->before, sizeof(all));
}

void signal_mask_restore(const struct signal_mask *mask)
{
	if (mask->is_masked)
		SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &mask->before, 0, sizeof(mask->before));
}
