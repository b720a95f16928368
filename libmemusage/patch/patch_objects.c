/* patch_objects.c -- notification of new objects before their constructors run.
 *
 * ld.so calls an empty function when the list of objects has changed, for debuggers to set a
 * breakpoint there. It is a `ret` followed by padding that is never executed. The padding is
 * written first, then the one byte that makes it a jump, so other threads may run it meanwhile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "libmemusage/patch/decode.h"
#include "libmemusage/patch/patch.h"

#define LISTENERS 4u

/* In x86_64/patch_entry.S: keeps all registers and calls patch_objects_changed(). */
void patch_objects_entry(void);
/* patch_objects_changed -- calls all listeners. frame: its caller's, see patch.h. */
void patch_objects_changed(uint64_t frame);

static struct {
	void (*listener[LISTENERS])(void);
	uint64_t caller; /* while they run: see patch_objects_place() */
	bool is_hooked;
} objects;

uint64_t patch_objects_place(void)
{
	return objects.caller;
}

void patch_objects_changed(uint64_t frame)
{
	objects.caller = frame;
	if (_r_debug.r_state != RT_CONSISTENT)
		return;
	for (unsigned int i = 0; i < LISTENERS && objects.listener[i]; i++)
		objects.listener[i]();
}

#if defined(__x86_64__)

#define RET 0xc3
#define JUMP 0xe9
#define JUMP_BYTES 5u
#define ALIGNMENT 16u /* of functions: the bytes from a ret to there are padding */

static bool patch_return_insn(const struct patch *p, uint64_t place)
{
	const uint8_t *code = (const uint8_t *)place;
	uint8_t far[14] = { 0xff, 0x25, 0, 0, 0, 0 }; /* jmp *0(%rip), then the address */
	uint8_t jump[JUMP_BYTES] = { JUMP };
	uint64_t target = (uint64_t)patch_objects_entry;

	if (code[0] != RET || place % ALIGNMENT + JUMP_BYTES > ALIGNMENT ||
	    !decode_is_padding(code + 1, JUMP_BYTES - 1))
		return false;
	uint64_t thunk = patch_room_near(place, place + JUMP_BYTES, sizeof(far));
	if (!thunk)
		return false;
	memcpy(far + 6, &target, sizeof(target));
	int32_t distance = (int32_t)(thunk - (place + JUMP_BYTES));
	memcpy(jump + 1, &distance, sizeof(distance));
	return patch_write(p, thunk, far, sizeof(far)) &&
	       patch_write(p, place + 1, jump + 1, JUMP_BYTES - 1) &&
	       patch_write(p, place, jump, 1);
}

static bool hook_debug_function(void)
{
	static const uint8_t landing[4] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* endbr64 */
	uint64_t place = _r_debug.r_brk;
	struct patch p;

	if (!place || !patch_begin(&p))
		return false;
	if (!memcmp((const void *)place, landing, sizeof(landing)))
		place += sizeof(landing);
	bool ok = patch_return_insn(&p, place);
	patch_end(&p);
	return ok;
}

#else

static bool hook_debug_function(void)
{
	return false;
}

#endif

bool patch_on_objects(void (*changed)(void))
{
	unsigned int i = 0;

	if (!objects.is_hooked && !hook_debug_function())
		return false;
	objects.is_hooked = true;
	while (i < LISTENERS && objects.listener[i] && objects.listener[i] != changed)
		i++;
	if (i < LISTENERS)
		objects.listener[i] = changed;
	return i < LISTENERS;
}
