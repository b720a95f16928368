/* patch_collect.c -- stores into code, collected for the attacher, which makes them from outside.
 *
 * In the place of patch/patch_store.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "libmemusage/attach/attached_state.h"
#include "libmemusage/patch/patch.h"
#include "libmemusage/unwind/patched_pc.h"

bool patch_begin(struct patch *p)
{
	*p = (struct patch){ .mem = -1, .is_alone = true };
	return attached.attach;
}

void patch_end(struct patch *p)
{
	(void)p;
}

static bool note_area(struct mu_attach *a, uint64_t address)
{
	uint64_t start = address & -PATCHED_AREA_BYTES;

	for (uint32_t i = 0; i < a->areas; i++)
		if (a->area[i].start == start)
			return true;
	if (a->areas == MU_ATTACH_AREAS)
		return false;
	a->area[a->areas++] = (struct mu_own_mapping){ start, PATCHED_AREA_BYTES };
	return true;
}

/* The jump to a thunk, which comes directly after the thunk. */
static bool note_jump(struct mu_attach *a, uint64_t place, const void *bytes)
{
	if (a->entries == MU_ATTACH_ENTRIES)
		return false;
	/* complete_entries() fills in the rest. */
	memcpy(a->entry[a->entries].jump, bytes, MU_ATTACH_JUMP);
	a->entry[a->entries].place = place;
	a->entries++;
	return true;
}

bool patch_write(const struct patch *p, uint64_t address, const void *bytes, uint32_t length)
{
	struct mu_attach *a = attached.attach;

	(void)p;
	if (!a || length > sizeof(a->write[0].bytes))
		return false;
	if (!patched_pc_holds(address))
		return length == MU_ATTACH_JUMP && note_jump(a, address, bytes);
	if (a->writes == MU_ATTACH_WRITES || !note_area(a, address))
		return false;
	a->write[a->writes].address = address;
	a->write[a->writes].length = length;
	memcpy(a->write[a->writes++].bytes, bytes, length);
	return true;
}

bool patch_store(const struct patch *p, uint64_t address, uint32_t word)
{
	(void)p, (void)address, (void)word;
	return false;
}
