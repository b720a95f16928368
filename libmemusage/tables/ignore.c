/* ignore.c -- which stacks are not to be in Massif's books: --ignore-fn.
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

/* What is known of a module's code, by the number of the module. */
struct code {
	uint64_t offset; /* of uint64_t[count] in the image */
	uint64_t count;
	uint32_t state; /* MU_QUERY_IDLE, _DONE or _FAILED */
	uint32_t reserved;
};

static struct code *codes; /* private memory: a child has a copy */
static uint32_t codes_room;

void ignore_init(void)
{
	codes = NULL;
	codes_room = 0;
}

/* Called by the one who asks, so nobody else changes it. Old ones stay mapped for readers. */
static bool make_room(uint32_t number)
{
	uint32_t room = codes_room ? codes_room : MU_PAGE / sizeof(*codes);

	if (number < codes_room)
		return true;
	while (room <= number)
		room *= 2;
	struct code *bigger = memory_map((uint64_t)room * sizeof(*bigger));
	if (!bigger)
		return false;
	if (codes)
		memcpy(bigger, codes, codes_room * sizeof(*codes));
	__atomic_store_n(&codes, bigger, __ATOMIC_RELEASE);
	__atomic_store_n(&codes_room, room, __ATOMIC_RELEASE);
	return true;
}

static const struct code *known(uint32_t number)
{
	if (number >= __atomic_load_n(&codes_room, __ATOMIC_ACQUIRE))
		return NULL;
	const struct code *code = __atomic_load_n(&codes, __ATOMIC_ACQUIRE) + number;
	return __atomic_load_n(&code->state, __ATOMIC_ACQUIRE) ? code : NULL;
}

/* ---- asking -------------------------------------------------------------------------------- */

static const struct code *ask(uint32_t number)
{
	struct mu_image *image = rec.image;

	while (!collector_query_begin(number + 1))
		if (known(number))
			return known(number);
	const struct code *code = known(number);
	if (!code && make_room(number)) {
		bool ok = collector_query_ask();
		codes[number].offset = image->query_offset;
		codes[number].count = ok ? image->query_count : 0;
		__atomic_store_n(&codes[number].state, ok ? MU_QUERY_DONE : MU_QUERY_FAILED,
				 __ATOMIC_RELEASE);
		code = &codes[number];
	}
	collector_query_end();
	return code;
}

/* ---- looking up ------------------------------------------------------------------------------ */

static enum mu_code_class class_at(const struct code *code, uint64_t address)
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

/* Where this library lies: its frames are none of the program's. */
static bool is_own(const struct sites_module *module)
{
	uint64_t here = (uint64_t)&class_at;

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
			if (is_own(&module))
				continue;
			const struct code *code = known(module.number);
			if (!code && !sandbox_is_on)
				code = ask(module.number);
			if (code && code->state == MU_QUERY_DONE)
				class = class_at(code, pc - module.bias);
		}
		if (class == MU_CODE_ALLOC && is_inner)
			continue;
		is_inner = false;
		if (class != MU_CODE_NAMELESS)
			return class == MU_CODE_IGNORE;
	}
	return is_inner && walk->count;
}
