/* counter.c -- Try the CPU's instruction counter.
 *
 * A failure in the recorded program could not be explained to the user, so it is found here first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/counter.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/message.h"
#include "recording/env.h"
#include "recording/recording.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define INSTEAD "; use --time-unit=ms or --time-unit=B, or count with --accesses=emulate"

/* Programs may count their own instructions up to this level. The default is 2 in Linux and 3 in
 * Debian, where only root may. */
enum { PARANOID_MOST = 2 };

uint32_t counter_parse(const char *text)
{
	unsigned int type, event;
	char rest;

	if (!text)
		return MU_COUNTER(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	if (sscanf(text, "%5u:%5u%c", &type, &event, &rest) != 2 || type > UINT16_MAX ||
	    event > UINT16_MAX)
		return 0;
	return MU_COUNTER(type, event);
}

static int read_paranoid(void)
{
	FILE *file = fopen(PARANOID, "re");
	int level = INT_MIN;

	if (file && fscanf(file, "%d", &level) != 1)
		level = INT_MIN;
	if (file)
		fclose(file);
	return level;
}

void counter_why(char *why, size_t size, int error, int paranoid)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		snprintf(why, size,
			 "this machine has no such counter; most virtual machines have "
			 "none");
		return;
	case EACCES:
	case EPERM:
		if (paranoid > PARANOID_MOST)
			snprintf(why, size,
				 PARANOID " is %d: the administrator can allow it with "
					  "'sysctl kernel.perf_event_paranoid=%d'",
				 paranoid, PARANOID_MOST);
		else
			snprintf(why, size,
				 "permission denied, most likely by the container's "
				 "seccomp filter");
		return;
	case ENOSYS:
		snprintf(why, size, "the kernel or the container does not provide perf_event_open");
		return;
	default:
		snprintf(why, size, "%s", strerror(error));
	}
}

static int open_counter(uint32_t counter)
{
	struct perf_event_attr event = {
		.size = sizeof(event),
		.type = MU_COUNTER_TYPE(counter),
		.config = MU_COUNTER_EVENT(counter),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Software counters have their value in the page itself. */
static bool can_read(const struct perf_event_mmap_page *page, uint32_t counter)
{
	return page->cap_user_rdpmc || MU_COUNTER_TYPE(counter) == PERF_TYPE_SOFTWARE;
}

uint32_t counter_find(void)
{
	uint32_t counter = counter_parse(getenv(MU_ENV_COUNTER));
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page;
	char why[256];
	int fd;

	if (!counter)
		die("$" MU_ENV_COUNTER " must be TYPE:EVENT, two numbers of perf_event_open(2)");
	fd = open_counter(counter);
	if (fd < 0) {
		counter_why(why, sizeof(why), errno, read_paranoid());
		die("--time-unit=i: cannot count instructions: %s" INSTEAD, why);
	}
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		die("--time-unit=i: cannot map the instruction counter: %m" INSTEAD);
	if (!can_read(page, counter))
		die("--time-unit=i: programs may not read the instruction counter: the "
		    "administrator can allow it with 'echo 1 "
		    ">/sys/bus/event_source/devices/cpu/rdpmc'" INSTEAD);
	munmap(page, size);
	return counter;
}
