/* shared_memory.c -- does this process share its memory with its parent, like a child of vfork()?
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/shared_memory.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "libmemusage/base/sys.h"
#include "libmemusage/lifecycle/decimal.h"
#include "recording/recording.h"

#define KCMP_VM 1
#define TRIES 8 /* other threads of the parent may map at the same time */

/* Returns the pages that a process has mapped, 0 if that cannot be read. */
static uint64_t read_mapped_pages(long pid)
{
	char path[64] = "/proc/", number[DECIMAL_BYTES], text[32];
	uint64_t pages = 0;
	long fd, got;

	strcat(strcat(path, format_decimal(number, (uint64_t)pid)), "/statm");
	fd = SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return 0;
	got = SYS3(SYS_read, fd, text, sizeof(text));
	SYS1(SYS_close, fd);
	for (long i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++)
		pages = pages * 10 + (uint64_t)(text[i] - '0');
	return pages;
}

/* Maps pages for a moment. Returns whether the parent grew by just these, and shrank again. */
static bool parent_maps_too(long parent, uint64_t pages)
{
	const uint64_t before = read_mapped_pages(parent);
	uint64_t meanwhile;
	long at;

	if (before == 0)
		return false;
	at = SYS6(SYS_mmap, 0, pages * MU_PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sys_failed(at))
		return false;
	meanwhile = read_mapped_pages(parent);
	SYS2(SYS_munmap, at, pages * MU_PAGE);
	return meanwhile == before + pages && read_mapped_pages(parent) == before;
}

bool shared_memory_with_parent(void)
{
	const long parent = SYS1(SYS_getppid, 0);
	const long differs = SYS5(SYS_kcmp, sys_getpid(), parent, KCMP_VM, 0, 0);

	if (!sys_failed(differs) || parent == 0)
		return differs == 0;
	/* Numbers of pages that hardly anybody maps: a parent with memory of its own would have to
	 * map and unmap both at the same moments. */
	for (int i = 0; i < TRIES; i++) {
		if (parent_maps_too(parent, 1013) && parent_maps_too(parent, 769))
			return true;
	}
	return false;
}
