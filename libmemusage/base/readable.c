/* readable.c -- finding out whether memory of the program is there now.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/readable.h"

#include <errno.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/sys.h"

#define NO_MEMORY (UINT64_C(1) << 63) /* no program can have memory there */
#define NO_HOW (~0u)		      /* no value of rt_sigprocmask's first argument */

static bool has_mask_probe;

/* The kernel copies the new mask from memory before it looks at the first argument, which is
 * invalid: EFAULT or EINVAL. Nothing is changed. An emulator may look at that argument first.
 * Source: kernel/signal.c of Linux, 2.6.12 to 6.12. */
static long probe_as_signal_mask(uint64_t address)
{
	return SYS4(SYS_rt_sigprocmask, NO_HOW, address, 0, sizeof(uint64_t));
}

void readable_init(void)
{
	has_mask_probe = probe_as_signal_mask(NO_MEMORY) == -EFAULT;
}

bool readable_page(uint64_t address)
{
	unsigned char resident;

	if (sandbox.is_on)
		return false;
	if (likely(has_mask_probe))
		return probe_as_signal_mask(address) == -EINVAL;
	return !sys_failed(SYS3(SYS_mincore, address & -(uint64_t)MU_PAGE, MU_PAGE, &resident));
}
