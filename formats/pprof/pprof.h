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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/bounds.h"
#include "formats/diff.h"
#include "formats/export.h"

/* pprof_write -- write all of a profile. Errors of OUT stay with it. */
void pprof_write(FILE *out, const struct export *e);

/* A profile of now, as programs in Go serve it: of all processes, and without peak_objects and
 * peak_space. Each sample has the label "pid". */
struct pprof_now {
	const struct export *const *process;
	size_t count;			/* of processes, at least 1 */
	const char *default_type;	/* which a viewer shows first: "inuse_space" */
	uint64_t time_ns;		/* since 1970 */
	uint64_t duration_ns;		/* 0: since the start of the processes */
	bool is_change;			/* values are differences, which may be negative; places
					 * that did not change are left out */
};

/* pprof_write_now -- Writes a profile of now. Errors of OUT stay with it. */
void pprof_write_now(FILE *out, const struct pprof_now *now);

/* pprof_write_diff -- Writes a comparison as `pprof -diff_base` makes it of two profiles.
 *
 * What the old file has is negative, in samples of their own with the label pprof::base, so that
 * viewers show changes, and percentages of the old sum. Metrics that both files tell are sample
 * types; temporary blocks are none.
 * Source google/pprof, internal/driver/fetch.go and internal/report, of 2024.
 */
void pprof_write_diff(FILE *out, const struct diff_export *e);

/* pprof_shows_site -- Tells whether a site counts in a profile of now.
 *
 * now  NULL: in one of the end.
 * A change has places at which blocks were only freed, so that none was allocated.
 */
bool pprof_shows_site(const struct pprof_now *now, const struct site *s);

/* pprof_describe_estimates -- Writes the comment on figures that are estimates.
 *
 * Returns TEXT, which is "" if all are exact.
 */
const char *pprof_describe_estimates(char text[BOUNDS_TEXT], const struct export *e);
