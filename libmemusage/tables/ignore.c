/* ignore.c -- stacks that Massif's accounting leaves out: --ignore-fn.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/ignore.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/collector_query.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/tables/sites.h"
#include "libmemusage/unwind/patched_pc.h"

/* The classes of a module's code, by the number of the module. */
struct module_code {
	uint64_t offset; /* of uint64_t[count] in the image */
	uint64_t count;
	uint32_t state; /* MU_QUERY_IDLE, _DONE or _FAILED */
	uint32_t reserved;
};

/* In private memory: a child has a copy. */
static struct {
	struct module_code *code;
	uint32_t room;
} modules;

void ignore_init(void)
{
	modules.code = NULL;
	modules.room = 0;
}

/* Only the thread that asks calls this, so no other changes the array. Old arrays stay mapped for
 * readers. */
static bool make_room_for_module(uint32_t number)
{
	uint32_t room = modules.room ? modules.room : MU_PAGE / sizeof(*modules.code);

	if (number < modules.room)
		return true;
	while (room <= number)
		room *= 2;
	struct module_code *bigger = memory_map((uint64_t)room * sizeof(*bigger));
	if (!bigger)
		return false;
	if (modules.code)
		memcpy(bigger, modules.code, modules.room * sizeof(*modules.code));
	__atomic_store_n(&modules.code, bigger, __ATOMIC_RELEASE);
	__atomic_store_n(&modules.room, room, __ATOMIC_RELEASE);
	return true;
}

static const struct module_code *known_code(uint32_t number)
{
	if (number >= __atomic_load_n(&modules.room, __ATOMIC_ACQUIRE))
		return NULL;
	const struct module_code *code = __atomic_load_n(&modules.code, __ATOMIC_ACQUIRE) + number;
	return __atomic_load_n(&code->state, __ATOMIC_ACQUIRE) ? code : NULL;
}

/* ---- asking -------------------------------------------------------------------------------- */

static const struct module_code *ask_collector(uint32_t number)
{
	struct mu_image *image = rec.image;

	while (!collector_query_begin(number + 1))
		if (known_code(number))
			return known_code(number);
	const struct module_code *code = known_code(number);
	if (!code && make_room_for_module(number)) {
		bool ok = collector_query_ask();
		modules.code[number].offset = image->query_offset;
		modules.code[number].count = ok ? image->query_count : 0;
		__atomic_store_n(&modules.code[number].state, ok ? MU_QUERY_DONE : MU_QUERY_FAILED,
				 __ATOMIC_RELEASE);
		code = &modules.code[number];
	}
	collector_query_end();
	return code;
}

/* ---- looking up ------------------------------------------------------------------------------ */

static enum mu_code_class code_class_at(const struct module_code *code, uint64_t address)
{
	const uint64_t *word = arena_at(code->offset);
	uint64_t low = 0, high = code->count;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (MU_CODE_ADDRESS(word[middle]) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? MU_CODE_CLASS(word[low - 1]) : MU_CODE_NAMELESS;
}

/* Returns whether a module is this library, whose frames are not the program's. */
static bool is_recorder_module(const struct sites_module *module)
{
	uint64_t here = (uint64_t)&code_class_at;

	return here >= module->start && here < module->end;
}

bool ignore_stack(const struct walk *walk)
{
	bool is_inner = true;

	for (uint32_t i = walk->count; i-- > 0;) {
		struct sites_module module;
		bool is_exact = walk->frame[i].slot & WALK_EXACT;
		uint64_t pc = patched_pc_behind(walk->frame[i].pc) - !is_exact;
		enum mu_code_class class = MU_CODE_NAMELESS;

		if (!pc || pc == UINT64_MAX)
			continue;
		if (sites_module(pc, &module)) {
			if (is_recorder_module(&module))
				continue;
			const struct module_code *code = known_code(module.number);
			if (!code && !sandbox.is_on)
				code = ask_collector(module.number);
			if (code && code->state == MU_QUERY_DONE)
				class = code_class_at(code, pc - module.bias);
		}
		if (class == MU_CODE_ALLOC && is_inner)
			continue;
		is_inner = false;
		if (class != MU_CODE_NAMELESS)
			return class == MU_CODE_IGNORE;
	}
	return is_inner && walk->count;
}
