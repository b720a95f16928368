/* call_frame_nodw.c -- What takes the place of call_frame_libdw.c without libdw: no frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/unwind/call_frame.h"

#include <stddef.h>

const struct call_library *call_frame_load(void)
{
	return NULL;
}

struct call_tables *call_frame_tables(const struct call_library *library, const struct elf_file *f)
{
	return NULL;
}

bool call_frame_step(struct call_tables *tables, uint64_t bias, struct call_state *s,
		     const struct call_memory *m, uint64_t saved[CALL_KEPT])
{
	return false;
}

void call_frame_close(struct call_tables *tables)
{
}
