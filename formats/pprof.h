/* pprof.h -- Writes profile.proto, the format of pprof, compressed by gzip as all readers expect.
 *
 * The sample types are those of Go's heap profiles, which pprof, Pyroscope, Parca and others know,
 * and two more: alloc_objects/count, alloc_space/bytes, inuse_objects/count, inuse_space/bytes (at
 * the end), peak_objects/count, peak_space/bytes (when the heap was largest; a viewer shows these
 * first).
 *
 * Of a sampled recording the period is the mean number of bytes between two samples, and a comment
 * says how good the estimates are.
 *
 * Mappings carry build-ids, so that a server can look up names; ours are there too.
 *
 * Source github.com/google/pprof, proto/profile.proto, of 2024; Protocol Buffers, "Encoding".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/export.h"

/* pprof_write -- write all of a profile. Errors of OUT stay with it. */
void pprof_write(FILE *out, const struct export *e);
