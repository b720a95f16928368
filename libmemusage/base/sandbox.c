/* sandbox.c -- what the program has forbidden itself, or is about to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/sandbox.h"

#include <fcntl.h>
#include <string.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/base/sys.h"

struct sandbox sandbox;

/* With other clock sources the vDSO makes a system call. */
static bool reads_clock_by_itself(void)
{
	static const char file[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	static const char *const sources[] = { "tsc\n", "kvm-clock\n",
					       "hyperv_clocksource_tsc_page\n",
					       "arch_sys_counter\n" };
	char name[40] = "";
	long fd = SYS4(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC, 0);

	if (sys_failed(fd))
		return false;
	SYS3(SYS_read, fd, name, sizeof(name) - 1);
	SYS1(SYS_close, fd);
	for (unsigned int i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (!strcmp(name, sources[i]))
			return true;
	return false;
}

void sandbox_begin(bool is_strict)
{
	if (!sandbox.is_on) {
		memory_prepare();
		sandbox.pid = sys_getpid();
		sandbox.has_no_clock |= !reads_clock_by_itself();
		sandbox.is_on = true;
	}
	/* The kernel takes the time stamp counter away, too. */
	sandbox.has_no_clock |= is_strict;
	sandbox.is_strict |= is_strict;
}

void sandbox_forked(void)
{
	if (sandbox.is_on)
		sandbox.pid = (uint32_t)sys_call_always(SYS_getpid, 0, 0, 0, 0, 0, 0);
}
