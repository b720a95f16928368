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
#include <sys/prctl.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

#if defined(__x86_64__)
#define KERNEL_NAME "__vdso_clock_gettime"
#else
#define KERNEL_NAME "__kernel_clock_gettime"
#endif

/* A moment, by all clocks. */
struct reading {
	uint64_t ns, boot_ns, ticks;
};

static struct {
	int (*kernel)(clockid_t clock, struct timespec *now); /* returns 0 or -errno */
	const uint64_t *tick; /* milliseconds that another process counts, since tick_begin_ns */
	uint64_t tick_begin_ns;
	struct reading first, last; /* ... before the clocks may not be read any more */
} clocks;

static struct reading read_all_clocks(void)
{
	return (struct reading){ .ns = clock_ns(CLOCK_MONOTONIC),
				 .boot_ns = clock_ns(CLOCK_BOOTTIME),
				 .ticks = clock_ticks() };
}

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
		*(void **)&clocks.kernel = lookup_in(&object, KERNEL_NAME);
	clocks.first = read_all_clocks();
}

void clock_begin_without_ticks(void)
{
	int mode = 0;

	if (!sys_failed(SYS2(SYS_prctl, PR_GET_TSC, &mode)) && mode == PR_TSC_SIGSEGV)
		sandbox.has_no_clock = true;
}

void clock_forbid(const uint64_t *tick, uint64_t tick_begin_ns)
{
	if (sandbox.is_on)
		return;
	clocks.last = read_all_clocks();
	clocks.tick = tick;
	clocks.tick_begin_ns = tick_begin_ns;
}

/* The other process may be a millisecond behind. */
static uint64_t estimate_ns(clockid_t clock)
{
	uint64_t now = 0;

	if (clocks.tick)
		now = clocks.tick_begin_ns +
		      __atomic_load_n(clocks.tick, __ATOMIC_RELAXED) * 1000000;
	if (now < clocks.last.ns)
		now = clocks.last.ns;
	return clock == CLOCK_BOOTTIME ? now + (clocks.last.boot_ns - clocks.last.ns) : now;
}

/* At the rate of the time before. 2^-10 ticks in a nanosecond are exact enough for milliseconds. */
uint64_t clock_estimate_ticks(void)
{
	uint64_t ns = clocks.last.ns - clocks.first.ns;
	uint64_t now = sandbox.is_on ? estimate_ns(CLOCK_MONOTONIC) :
				       clock_kernel_ns(CLOCK_MONOTONIC, clocks.last.ns);
	uint64_t rate = ns ? ((clocks.last.ticks - clocks.first.ticks) << 10) / ns : 0;

	return clocks.last.ticks + ((now - clocks.last.ns) * rate >> 10);
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (unlikely(sandbox.has_no_clock) && sandbox.is_on)
		return estimate_ns(clock);
	/* Without the counter the vDSO's function cannot be called either. */
	if ((!clocks.kernel || sandbox.has_no_clock || clocks.kernel(clock, &now)) &&
	    sys_failed(SYS2(SYS_clock_gettime, clock, &now)))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_kernel_ns(clockid_t clock, uint64_t otherwise)
{
	struct timespec now;

	if (sandbox.is_on || sys_failed(SYS2(SYS_clock_gettime, clock, &now)))
		return otherwise;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
