/* clock.c -- reading clocks without libc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/clock.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/sys.h"

#if defined(__x86_64__)
#define KERNEL_NAME "__vdso_clock_gettime"
#else
#define KERNEL_NAME "__kernel_clock_gettime"
#endif

/* Returns 0 or -errno. */
static int (*kernel_clock)(clockid_t clock, struct timespec *now);

void clock_init(void)
{
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Phdr) *part;
	struct link_map object = { .l_addr = 0 };
	bool is_placed = false;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
		return;
	part = (const void *)((const uint8_t *)header + header->e_phoff);
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		if (part[i].p_type == PT_LOAD && !is_placed) {
			object.l_addr = (ElfW(Addr))header + part[i].p_offset - part[i].p_vaddr;
			is_placed = true;
		}
	}
	for (unsigned int i = 0; i < header->e_phnum; i++)
		if (part[i].p_type == PT_DYNAMIC)
			object.l_ld = (ElfW(Dyn) *)(object.l_addr + part[i].p_vaddr);
	if (is_placed && object.l_ld)
		*(void **)&kernel_clock = lookup_in(&object, KERNEL_NAME);
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if ((!kernel_clock || kernel_clock(clock, &now)) &&
	    sys_failed(SYS2(SYS_clock_gettime, clock, &now)))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
