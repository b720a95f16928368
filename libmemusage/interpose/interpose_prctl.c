/* interpose_prctl.c -- prctl, to notice a sandbox.
 *
 * Most programs enter one by libseccomp, which sets no_new_privs by prctl and then loads the
 * filter by syscall(), which is not interposed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdarg.h>
#include <sys/prctl.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/lifecycle/enter.h"

bool sandbox_is_on;

EXPORT int prctl(int option, ...)
{
	unsigned long argument[4];
	va_list more;

	va_start(more, option);
	for (int i = 0; i < 4; i++)
		argument[i] = va_arg(more, unsigned long);
	va_end(more);
	real_resolve();
	if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP) {
		/* While system calls are allowed. A child of a raw clone() becomes a process of its
		 * own here. */
		enter_for_start();
		/* A child of vfork is in our memory, but its sandbox is its own. The state of a
		 * forked child that is not recorded still has its parent's process ID. */
		if (!rec.pid || rec.pid == sys_getpid() || rec.state == STATE_OFF)
			sandbox_is_on = true;
	}
	return real.prctl(option, argument[0], argument[1], argument[2], argument[3]);
}
