/* inlined.h -- where a file has inlined calls, from DWARF.
 *
 * Backends: inlined_libdw.c (elfutils) and, with LIBDW=no, inlined_nodw.c, which knows of none.
 * Files may be hostile: as for debuginfo.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Receives one range [start, end) of an inlined call, those around it first.
 *
 * name     DW_AT_name, "" unknown; lives during the call only.
 * is_kept  what the call told of the one around this one.
 * Returns whether it is of interest.
 */
typedef bool (*inlined_fn)(const char *name, uint64_t start, uint64_t end, bool is_kept,
			   void *data);

/* inlined_walk -- tell of all inlined calls.
 *
 * fd  of a file with .debug_info; addresses are the file's.
 * Returns 0, or -1 if there is no DWARF to be read. Cost one pass over all entries, 0.1-0.3 us
 * each.
 */
int inlined_walk(int fd, inlined_fn visit, void *data);
