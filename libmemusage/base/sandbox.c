/* sandbox.c -- what the program has forbidden itself, or is about to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/sandbox.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/sys.h"
#include "recording/attach.h"

struct sandbox sandbox;

/* Seccomp and Seccomp_filters of /proc/self/status. */
struct status_numbers {
	uint32_t mode, filters;
};

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

/* Returns the distance of the thread's ID from the thread pointer; 0 if it is not found.
 *
 * The kernel clears a word at the end of the thread. In glibc 2.41 that is the ID; in 2.43 it is
 * another, and the ID is where it always was on x86-64. In a child of fork() libc has the kernel
 * set the ID.
 * Source  glibc, struct pthread: tid, joinstate.
 */
static int64_t find_thread_id(void)
{
	const uint32_t *place = NULL, id = sys_gettid();

	if (sys_failed(SYS2(SYS_prctl, PR_GET_TID_ADDRESS, &place)) || !place)
		return 0;
	if (*place == id)
		return (int64_t)((uint64_t)place - cpu_thread_pointer());
#ifdef __x86_64__
	if (*(const uint32_t *)(cpu_thread_pointer() + MU_ATTACH_TID) == id)
		return MU_ATTACH_TID;
#endif
	return 0;
}

void sandbox_begin(bool is_strict)
{
	if (!sandbox.is_on) {
		memory_prepare();
		sandbox.pid = sys_getpid();
		sandbox.tid_at = find_thread_id();
		sandbox.has_no_clock |= !reads_clock_by_itself();
		sandbox.is_on = true;
	}
	/* The kernel takes the time stamp counter away, too. */
	sandbox.has_no_clock |= is_strict;
	sandbox.is_strict |= is_strict;
}

void sandbox_forked(void)
{
	if (sandbox.is_on && sandbox.pid)
		sandbox.pid = sandbox.tid_at ? sandbox_thread() :
					       (uint32_t)PROGRAM_SYS1(SYS_getpid, 0);
}

uint32_t sandbox_thread(void)
{
	if (sandbox.tid_at)
		return *(const uint32_t *)(cpu_thread_pointer() + (uint64_t)sandbox.tid_at);
	return sandbox.is_strict ? 0 : (uint32_t)PROGRAM_SYS1(SYS_gettid, 0);
}

/* ---- a filter from before the exec --------------------------------------------------------- */

static void append_digit(uint32_t *number, char c)
{
	if (c >= '0' && c <= '9')
		*number = *number * 10 + (uint32_t)(c - '0');
}

/* Reads the number of a line of /proc/self/status. */
static void read_status_line(struct status_numbers *numbers, const char *line)
{
	uint32_t *number = NULL;

	if (!strncmp(line, "Seccomp:", 8))
		number = &numbers->mode;
	else if (!strncmp(line, "Seccomp_filters:", 16))
		number = &numbers->filters;
	for (; number && *line; line++)
		append_digit(number, *line);
}

/* Before Linux 5.9 the kernel does not count them. */
static uint32_t count_filters(void)
{
	struct status_numbers numbers = { 0, 0 };
	char part[128], line[32] = "";
	size_t length = 0;
	long got, fd = SYS4(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);

	if (sys_failed(fd))
		return 0;
	while ((got = SYS3(SYS_read, fd, part, sizeof(part))) > 0) {
		for (long i = 0; i < got; i++) {
			if (part[i] != '\n' && length < sizeof(line) - 1)
				line[length++] = part[i];
			if (part[i] != '\n')
				continue;
			line[length] = '\0';
			read_status_line(&numbers, line);
			length = 0;
		}
	}
	SYS1(SYS_close, fd);
	return numbers.filters ? numbers.filters : numbers.mode != 0;
}

void sandbox_inherit(const char *known)
{
	uint32_t number = 0;

	for (; known && *known; known++)
		append_digit(&number, *known);
	if (!sandbox.is_on)
		sandbox.is_on = count_filters() > number;
}
