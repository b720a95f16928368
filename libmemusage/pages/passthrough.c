/* passthrough.c -- turning malloc and its kin into jumps to the real functions.
 *
 * With pages as heap a call of malloc only passes through, which costs 2 to 4 ns. In cc1, with 1.5
 * million calls a second, that was nearly all of the recorder's share of the time, 1 %.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/pages/passthrough.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/base/real.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/patch/patch.h"

#if defined(__x86_64__)
/* Our own functions, also where their names resolve to others. Unit tests have none. */
#define DECLARE(name, takes_block) \
	extern const char entry_of_##name[] __attribute__((weak, visibility("hidden")));
PASSTHROUGH_FUNCTIONS(DECLARE)

#define ROW(name, takes_block) { entry_of_##name, &real.name, takes_block },
static const struct {
	const char *entry;
	const void *real; /* the pointer to what is called instead */
	bool takes_block;
} family[] = { PASSTHROUGH_FUNCTIONS(ROW) };

void passthrough_patch(void)
{
	struct patch p;

	if (!patch_begin(&p))
		return;
	for (unsigned int i = 0; p.is_alone && i < sizeof(family) / sizeof(family[0]); i++) {
		uint8_t jump[6] = { 0xff, 0x25 }; /* jmp *distance(%rip) */
		uint64_t entry = (uint64_t)family[i].entry;
		int32_t distance = (int32_t)((uint64_t)family[i].real - entry - sizeof(jump));

		/* Early blocks never reach the real functions. */
		if (!entry || (family[i].takes_block && early_is_used()))
			continue;
		memcpy(jump + 2, &distance, sizeof(distance));
		if (!patch_write(&p, entry, jump, sizeof(jump)))
			break;
	}
	patch_end(&p);
}

#define DECLARE_JUMP(name, of, takes_block) DECLARE(name, takes_block)
SAMPLED_FUNCTIONS(DECLARE_JUMP)
SLEEPING_FUNCTIONS(DECLARE_JUMP)

#define DECLARE_LEAVE(name, of, takes_block) \
	extern const char leave_##name[] __attribute__((weak, visibility("hidden")));
SAMPLED_FUNCTIONS(DECLARE_LEAVE)
SLEEPING_FUNCTIONS(DECLARE_LEAVE)

#define JUMP_ROW(name, of, takes_block)                                                   \
	{ entry_of_##of, entry_of_##name, leave_##name, &real.of, takes_block },
struct jump {
	const char *entry, *to;
	const char *leave;  /* the jump at the end of `to` */
	const void *real;   /* the pointer by which it jumps */
	bool takes_block;
};
static const struct jump sampled[] = { SAMPLED_FUNCTIONS(JUMP_ROW) { .entry = NULL } };
static const struct jump sleeping[] = { SLEEPING_FUNCTIONS(JUMP_ROW) { .entry = NULL } };

/* Functions of another allocator may be intercepted later (real_redirect()), and any function with
 * MU_CFG_SYMBOLS: the pointers follow, these jumps would not. */
static bool real_ones_stay(struct object *libc)
{
	const struct link_map *map = lookup_object("gnu_get_libc_version");

	return map && !(rec.flags & MU_CFG_SYMBOLS) && object_read(map, libc);
}

/* The jumps to the real functions, which no thread executes yet. */
static void write_direct_jumps(const struct patch *p, const struct jump *jumps,
			       const struct object *libc)
{
	for (const struct jump *j = jumps; j->leave; j++) {
		uint8_t jump[6] = { 0xe9, [5] = 0x90 };
		uint64_t to = *(const uint64_t *)j->real;
		int64_t distance = (int64_t)(to - (uint64_t)j->leave - 5);
		int32_t short_distance = (int32_t)distance;

		if (to < libc->start || to >= libc->end || short_distance != distance)
			continue;
		memcpy(jump + 1, &short_distance, sizeof(short_distance));
		if (!patch_write(p, (uint64_t)j->leave, jump, sizeof(jump)))
			break;
	}
}

/* Code that loads `self`, whose distance from the thread's own address ld.so decides. */
#define DECLARE_SELF(name, of, takes_block) \
	extern const char self_in_##name[] __attribute__((weak, visibility("hidden")));
SAMPLED_FUNCTIONS(DECLARE_SELF)

#define SELF_ROW(name, of, takes_block) self_in_##name,
static const char *const loads_of_self[] = { SAMPLED_FUNCTIONS(SELF_ROW) };

static bool is_load_of_self(const uint8_t *code)
{
	return memcmp(code, "\x48\x8b\x15", 3) == 0 &&	    /* mov distance(%rip), %rdx */
	       memcmp(code + 7, "\x64\x48\x8b\x12", 4) == 0; /* mov %fs:(%rdx), %rdx */
}

/* Makes one instruction of two, one load less. It is as long as both, by prefixes that say the
 * same. No thread executes the code yet. A linker could have changed the two. */
static void write_loads_of_self(const struct patch *p)
{
	int64_t offset = (int64_t)((uint64_t)&self - cpu_thread_pointer());
	int32_t short_offset = (int32_t)offset;
	uint8_t load[11] = { 0x64, 0x64, 0x64, 0x48, 0x8b, 0x14, 0x25 }; /* mov %fs:offset, %rdx */

	if (short_offset != offset)
		return;
	memcpy(load + 7, &short_offset, sizeof(short_offset));
	for (size_t i = 0; i < sizeof(loads_of_self) / sizeof(loads_of_self[0]); i++)
		if (loads_of_self[i] && is_load_of_self((const uint8_t *)loads_of_self[i]))
			patch_write(p, (uint64_t)loads_of_self[i], load, sizeof(load));
}

static void write_jumps(const struct jump *jumps)
{
	struct object libc;
	struct patch p;

	if (!patch_begin(&p))
		return;
	if (p.is_alone && real_ones_stay(&libc)) {
		write_direct_jumps(&p, sampled, &libc);
		write_direct_jumps(&p, sleeping, &libc);
	}
	if (p.is_alone)
		write_loads_of_self(&p);
	for (const struct jump *j = jumps; p.is_alone && j->entry; j++) {
		uint64_t entry = (uint64_t)j->entry;
		uint8_t jump[5] = { 0xe9 };
		int32_t distance = (int32_t)((uint64_t)j->to - entry - sizeof(jump));

		/* Early blocks never reach the real functions. */
		if (j->takes_block && early_is_used())
			continue;
		memcpy(jump + 1, &distance, sizeof(distance));
		if (!patch_write(&p, entry, jump, sizeof(jump)))
			break;
	}
	patch_end(&p);
}

void passthrough_sample(void)
{
	write_jumps(sampled);
}

void passthrough_sleep(void)
{
	write_jumps(sleeping);
}
#else
void passthrough_sample(void)
{
}

void passthrough_sleep(void)
{
}

void passthrough_patch(void)
{
}
#endif
