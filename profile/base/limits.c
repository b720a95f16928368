/* limits.c -- what a process that reads hostile files may use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/limits.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void limits_set(int resource, uint64_t value)
{
	struct rlimit r;

	if (getrlimit(resource, &r) == 0) {
		r.rlim_cur = value < r.rlim_max ? value : r.rlim_max;
		setrlimit(resource, &r);
	}
}

void limits_lower(int resource, uint64_t value)
{
	struct rlimit r;

	if (getrlimit(resource, &r) == 0 && r.rlim_cur > value)
		limits_set(resource, value);
}

static uint64_t own_address_space_pages(void)
{
	char text[64] = "";
	int fd = LIMITS_HAS_SHADOW ? -1 : open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) < 0)
			text[0] = '\0';
		close(fd);
	}
	return strtoull(text, NULL, 10);
}

void limits_memory(uint64_t more)
{
	uint64_t pages = own_address_space_pages();

	if (pages > 0)
		limits_lower(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + more);
}
