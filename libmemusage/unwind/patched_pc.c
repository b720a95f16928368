/* patched_pc.c -- what patch/ has put in the place of the program's code, for unwinding.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/patched_pc.h"

#include <stddef.h>
#include <string.h>

#define JUMP_BYTES 5u

static struct {
	uint64_t area[PATCHED_AREAS]; /* start of each */
	uint32_t areas;
	uint64_t entry; /* the function that stubs call */
} patched;

void patched_pc_add_area(uint64_t start)
{
	patched.area[patched.areas] = start;
	__atomic_store_n(&patched.areas, patched.areas + 1, __ATOMIC_RELEASE);
}

void patched_pc_enter(void (*entry)(void))
{
	patched.entry = (uint64_t)entry;
}

bool patched_pc_holds(uint64_t pc)
{
	uint32_t count = __atomic_load_n(&patched.areas, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++)
		if (pc - patched.area[i] < PATCHED_AREA_BYTES)
			return true;
	return false;
}

#if defined(__x86_64__)

const struct patched_stub patched_stub_model = {
	.lower = { 0x48, 0x8d, 0x64, 0x24, 0x80 },
	.call = { 0xff, 0x15, 32 - 11, 0, 0, 0 },
	.raise = { 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0 },
	.jump = 0xe9,
};

uint64_t patched_pc_behind(uint64_t pc)
{
	const struct patched_stub *stub = (const struct patched_stub *)(pc - PATCHED_STUB_RETURN);

	if (!patched_pc_holds(pc) ||
	    memcmp(stub->raise, patched_stub_model.raise, sizeof(stub->raise)) ||
	    stub->cell != patched.entry)
		return pc;
	return stub->behind;
}

bool patched_pc_leave_stub(uint64_t *pc, uint64_t *sp)
{
	if (!patched_pc_holds(*pc))
		return false;
	for (uint64_t back = 0; back < PATCHED_STUB_JUMP + JUMP_BYTES; back++) {
		const struct patched_stub *stub = (const struct patched_stub *)(*pc - back);
		if (!patched_pc_holds(*pc - back))
			return false;
		if (memcmp(stub, &patched_stub_model, offsetof(struct patched_stub, distance)) ||
		    stub->cell != patched.entry)
			continue;
		if (back >= sizeof(stub->lower) && back < PATCHED_STUB_JUMP)
			*sp += PATCHED_RED_ZONE;
		*pc = stub->behind;
		return true;
	}
	return false;
}

#else

uint64_t patched_pc_behind(uint64_t pc)
{
	return pc;
}

bool patched_pc_leave_stub(uint64_t *pc, uint64_t *sp)
{
	(void)pc;
	(void)sp;
	return false;
}

#endif
