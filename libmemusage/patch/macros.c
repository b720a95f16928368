/* macros.c -- changing requests into jumps to stubs.
 *
 * Objects are changed before their code can run: at the start of the process, and when ld.so has
 * just mapped them. If there are threads at the start (made by constructors of libraries), a jump
 * is made by a single store of four bytes. Its fifth byte is the one that was there, 0x48, so a
 * thread between two of the instructions continues with whole ones. The stub is where such a jump
 * leads, 1.13 GiB further on. If the bytes cross a cache line, the second instruction is changed
 * instead of the first.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/macros.h"

#include <string.h>

#include "libmemusage/base/new_objects.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/patch/patch.h"
#include "libmemusage/requests/client_block.h"
#include "libmemusage/unwind/patched_pc.h"

#if defined(__x86_64__)

#define JUMP 0xe9
#define JUMP_BYTES 5u
#define SECOND 4u /* where the second instruction begins */
#define KEPT 0x48 /* the byte after that: the first of the next instruction */

#define REST_BYTES 4u

/* The whole rotation is by 128 bits, or 64 twice: 3 are done. */
static const uint8_t rest[REST_BYTES] = { 0x48, 0xc1, 0xc7, 61 };

static struct {
	struct new_objects known; /* objects that were searched */
	bool was_started;   /* those at the start were */
} state;

/* ---- one place --------------------------------------------------------------------------- */

/* Writes a stub at `room`, which continues after `site`; with the rest of the rotation before
 * it. */
static bool write_stub(const struct patch *p, uint64_t room, uint64_t site, bool has_rest)
{
	uint8_t bytes[REST_BYTES + sizeof(struct patched_stub)];
	uint32_t before = has_rest ? REST_BYTES : 0;
	struct patched_stub stub = patched_stub_model;

	stub.behind = site + MACROS_BYTES;
	stub.cell = (uint64_t)macros_entry;
	stub.distance = (int32_t)(stub.behind - (room + before + PATCHED_STUB_JUMP + JUMP_BYTES));
	memcpy(bytes, rest, before);
	memcpy(bytes + before, &stub, sizeof(stub));
	return patch_write(p, room, bytes, before + (uint32_t)sizeof(stub));
}

/* For a place that no thread can be executing. */
static bool change_unused_code(const struct patch *p, uint64_t site)
{
	uint64_t room = patch_room_near(site, site + MACROS_BYTES, sizeof(struct patched_stub));
	uint8_t jump[JUMP_BYTES] = { JUMP };
	int32_t distance = (int32_t)(room - (site + JUMP_BYTES));

	memcpy(jump + 1, &distance, sizeof(distance));
	return room && write_stub(p, room, site, false) && patch_write(p, site, jump, JUMP_BYTES);
}

/* For a place that threads may be executing. */
static bool change_running_code(const struct patch *p, uint64_t site)
{
	bool has_rest = site % 64 > 60;
	uint64_t place = has_rest ? site + SECOND : site;
	uint64_t low = place + JUMP_BYTES + ((uint64_t)KEPT << 24);
	uint64_t room = patch_room(low, low + (UINT64_C(1) << 24),
				   sizeof(struct patched_stub) + REST_BYTES);
	uint32_t distance = (uint32_t)(room - (place + JUMP_BYTES));

	return room && distance >> 24 == KEPT && write_stub(p, room, site, has_rest) &&
	       patch_store(p, place, JUMP | distance << 8);
}

static void change_request(uint64_t site, void *data)
{
	const struct patch *p = data;
	bool is_quiet = p->is_alone || state.was_started;

	if (is_quiet ? change_unused_code(p, site) : change_running_code(p, site))
		rec.image->request_places++;
	else
		rec.image->request_refused++;
}

/* ---- objects ----------------------------------------------------------------------------- */

static void change_object(const struct object *object, void *patch)
{
	macros_scan(object, change_request, patch);
}

static void change_unseen_objects(void)
{
	struct patch p;

	if (!patch_begin(&p)) {
		rec.image->notes |= MU_NOTE_NO_REQUESTS;
		return;
	}
	if (!new_objects_visit(&state.known, change_object, &p))
		rec.image->request_refused++;
	patch_end(&p);
}

/* ld.so holds its lock: one thread at a time. */
static void change_new_objects(void)
{
	if (recorder_is_on())
		change_unseen_objects();
}

void macros_start(void)
{
	if (!new_objects_init(&state.known)) {
		rec.image->notes |= MU_NOTE_NO_REQUESTS;
		return;
	}
	patched_pc_enter(macros_entry);
	if (rec.segment->config.requests == MU_REQUESTS_MASSIF)
		client_block_count_as_massif();
	change_unseen_objects();
	state.was_started = true;
	if (!patch_on_objects(change_new_objects))
		rec.image->notes |= MU_NOTE_LATE_REQUESTS;
}

#else

void macros_start(void)
{
	rec.image->notes |= MU_NOTE_NO_REQUESTS;
}

#endif
