/* vectors.c -- saving the vector and x87 registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/vectors.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libmemusage/base/emulated_pause.h"

#if defined(__x86_64__)

#include <cpuid.h>

#define LEGACY_BYTES 512u /* of fxsave, and of the first part of xsave */
#define HEADER_BYTES 64u  /* must be zero: xsave writes only its first word */
#define ALIGN 64u

/* State components as the CPU numbers them; the kernel has switched some on (XCR0). All are saved,
 * those of later CPUs too, but for the protection keys: no function changes them, and they are
 * never at their initial value, at the end of the area. */
#define COMPONENTS 63u
#define ALWAYS 3u /* x87, and SSE with MXCSR */
#define PROTECTION_KEYS (UINT64_C(1) << 9)

enum { XSAVE_LEAF = 0xd, XSAVE_FEATURES = 1, XGETBV_IN_USE = 4 };

static struct {
	uint64_t switched_on; /* 0: the CPU has no xsave, or the kernel does not use it */
	bool tells_in_use;
	uint32_t end[COMPONENTS]; /* of each in the area, bytes */
	bool is_known;
} area;

/* All zeros: registers that are restored from it get their initial values. It is as large as the
 * area with the 8 KiB of AMX; on a later CPU that needs more, all components count as in use. */
static const uint8_t initial[12288] __attribute__((aligned(ALIGN)));

static uint64_t read_extended_control(uint32_t number)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(number));
	return (uint64_t)high << 32 | low;
}

/* Several threads may do this at once: each stores the same words, and no others. */
static void detect_components(void)
{
	uint32_t a, b, c, d;
	uint64_t on;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return;
	on = read_extended_control(0) & ~PROTECTION_KEYS;
	if (__get_cpuid_count(XSAVE_LEAF, XSAVE_FEATURES, &a, &b, &c, &d))
		area.tells_in_use = a & XGETBV_IN_USE;
	for (uint32_t i = 0; i < COMPONENTS; i++) {
		bool is_apart = i >= 2 && on >> i & 1 &&
				__get_cpuid_count(XSAVE_LEAF, i, &a, &b, &c, &d);
		area.end[i] = is_apart ? a + b : LEGACY_BYTES + HEADER_BYTES;
		area.tells_in_use &= area.end[i] <= sizeof(initial);
	}
	area.switched_on = on;
}

/* The components to save, and the bytes that they need. One at its initial value needs none, as it
 * gets that value back all the same: the 8 KiB of AMX cost nothing where they are not in use. */
static uint32_t count_saved_bytes(uint64_t *components)
{
	uint32_t bytes = LEGACY_BYTES + HEADER_BYTES;

	if (!__atomic_load_n(&area.is_known, __ATOMIC_ACQUIRE)) {
		detect_components();
		__atomic_store_n(&area.is_known, true, __ATOMIC_RELEASE);
	}
	*components = area.switched_on;
	if (area.switched_on && area.tells_in_use)
		*components &= read_extended_control(1) | ALWAYS;
	for (uint64_t rest = *components; rest; rest &= rest - 1) {
		uint32_t end = area.end[__builtin_ctzll(rest)];
		bytes = end > bytes ? end : bytes;
	}
	return bytes;
}

static void restore_components(const uint8_t *from, uint64_t components)
{
	__asm__ volatile("xrstor64 (%0)"
			 : : "r"(from), "a"((uint32_t)components), "d"((uint32_t)(components >> 32))
			 : "memory");
}

/* Inlined to save a frame: a walk calls it on the program's stack, which may be small. */
static inline __attribute__((always_inline)) void
preserve_in_area(uint8_t *at, uint64_t saved, void (*work)(void *), void *argument)
{
	uint64_t others = area.switched_on & ~saved;

	if (!saved) {
		__asm__ volatile("fxsave64 (%0)" : : "r"(at) : "memory");
		work(argument);
		__asm__ volatile("fxrstor64 (%0)" : : "r"(at) : "memory");
		return;
	}
	memset(at + LEGACY_BYTES, 0, HEADER_BYTES);
	__asm__ volatile("xsave64 (%0)"
			 : : "r"(at), "a"((uint32_t)saved), "d"((uint32_t)(saved >> 32))
			 : "memory");
	work(argument);
	/* A CPU may touch the room of components that get their initial values, too, and the stack
	 * may end beyond this area. */
	if (others)
		restore_components(initial, others);
	restore_components(at, saved);
}

/* A function of its own: a frame that holds the area is made only where there is no other room. */
static __attribute__((noinline)) void preserve_on_stack(uint32_t bytes, uint64_t saved,
							void (*work)(void *), void *argument)
{
	uint8_t *room = __builtin_alloca(bytes + ALIGN - 1);

	uintptr_t start = ((uintptr_t)room + ALIGN - 1) & -(uintptr_t)ALIGN;

	preserve_in_area((uint8_t *)start, saved, work, argument);
}

static void preserve_registers(uint8_t *room, void (*work)(void *), void *argument)
{
	uint64_t saved;
	uint32_t bytes = count_saved_bytes(&saved);

	if (room && bytes <= VECTORS_ROOM)
		preserve_in_area(room, saved, work, argument);
	else
		preserve_on_stack(bytes, saved, work, argument);
}

#else

static void preserve_registers(uint8_t *room, void (*work)(void *), void *argument)
{
	(void)room;
	work(argument);
}

#endif

void vectors_preserve(void (*work)(void *), void *argument)
{
	vectors_preserve_in(NULL, work, argument);
}

void vectors_preserve_in(uint8_t *room, void (*work)(void *), void *argument)
{
	emulated_pause();
	preserve_registers(room, work, argument);
	emulated_resume();
}
