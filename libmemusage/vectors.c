/* vectors.c -- saving the vector and x87 registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/vectors.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libmemusage/emulated.h"

#if defined(__x86_64__)

#include <cpuid.h>

#define LEGACY_BYTES 512u /* of fxsave, and of the first part of xsave */
#define HEADER_BYTES 64u  /* must be zero: xsave writes only its first word */

/* Bytes that xsave needs for what the kernel has switched on; 0 if it is not there. */
static uint32_t xsave_bytes(void)
{
	static uint32_t known;
	uint32_t a, b, c, d;
	uint32_t bytes = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (bytes)
		return bytes == 1 ? 0 : bytes;
	bytes = 1;
	if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE &&
	    __get_cpuid_count(0xd, 0, &a, &b, &c, &d) && b >= LEGACY_BYTES + HEADER_BYTES)
		bytes = b;
	__atomic_store_n(&known, bytes, __ATOMIC_RELAXED);
	return bytes == 1 ? 0 : bytes;
}

static void keep(void (*work)(void *), void *argument)
{
	uint32_t bytes = xsave_bytes();
	uint8_t *room = __builtin_alloca((bytes ? bytes : LEGACY_BYTES) + 63);
	uint8_t *area = (uint8_t *)(((uintptr_t)room + 63) & -(uintptr_t)64);

	if (!bytes) {
		__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
		work(argument);
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
		return;
	}
	memset(area + LEGACY_BYTES, 0, HEADER_BYTES);
	__asm__ volatile("xsave64 (%0)" : : "r"(area), "a"(~0u), "d"(~0u) : "memory");
	work(argument);
	__asm__ volatile("xrstor64 (%0)" : : "r"(area), "a"(~0u), "d"(~0u) : "memory");
}

#else

static void keep(void (*work)(void *), void *argument)
{
	work(argument);
}

#endif

void vectors_keep(void (*work)(void *), void *argument)
{
	emulated_pause();
	keep(work, argument);
	emulated_resume();
}
