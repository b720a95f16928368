/* interpose_prctl.c -- prctl, to notice a sandbox.
 *
 * Most programs enter one by libseccomp, which sets no_new_privs by prctl and then loads the
 * filter by syscall(), which is not interposed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdarg.h>
#include <sys/prctl.h>

#include "libmemusage/export.h"
#include "libmemusage/real.h"
#include "libmemusage/recorder.h"
#include "libmemusage/sandbox.h"
#include "libmemusage/sys.h"

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
	/* A child of vfork is in our memory, but its sandbox is its own. */
	if ((option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP) &&
	    (!rec.pid || rec.pid == sys_getpid()))
		sandbox_is_on = true;
	return real.prctl(option, argument[0], argument[1], argument[2], argument[3]);
}
