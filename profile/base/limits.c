/* limits.c -- what a process that reads hostile files may use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/limits.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "profile/base/file.h"

#define STACK_BYTES (UINT64_C(8) << 20)

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

void limits_raise_stack(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_STACK, &r) < 0 || r.rlim_cur >= STACK_BYTES)
		return;
	r.rlim_cur = STACK_BYTES;
	if (r.rlim_max >= STACK_BYTES) {
		setrlimit(RLIMIT_STACK, &r);
		return;
	}
	r.rlim_max = STACK_BYTES;
	if (setrlimit(RLIMIT_STACK, &r) < 0)
		limits_set(RLIMIT_STACK, STACK_BYTES);
}

static uint64_t own_address_space_pages(void)
{
	char text[64] = "";

	if (!LIMITS_HAS_SHADOW)
		file_read_text("/proc/self/statm", text, sizeof(text));
	return strtoull(text, NULL, 10);
}

void limits_memory(uint64_t more)
{
	uint64_t pages = own_address_space_pages();

	if (pages > 0)
		limits_lower(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + more);
}
