/* perfetto.h -- Writes a trace of Perfetto: heap and resident memory over time, a heap profile.
 *
 * ui.perfetto.dev and trace_processor show the process with the counters "heap", "resident",
 * "private" and "swap", and, of the allocator "malloc", the memory of each call stack at the
 * snapshots, as flame graphs; of "malloc, at the peak" that of the peak.
 *
 * Perfetto's profiles have what each stack has allocated and freed since the start. Snapshots tell
 * only what was live. So between two of them what grew counts as allocated and what shrank as
 * freed: what is not freed is exact at each of them, and what was allocated at the end.
 *
 * Source protos/perfetto/trace of Perfetto v58: trace_packet, clock_snapshot, track_descriptor,
 *        track_event, profile_packet, profile_common, interned_data.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/export.h"

/* perfetto_write -- Writes the trace. Errors of OUT stay with it. */
void perfetto_write(FILE *out, const struct export *e);
