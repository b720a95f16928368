/* look.h -- One look at a process: its figures at one moment, copied out of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusageprint/live/curve.h"
#include "memusageprint/live/places.h"
#include "memusageprint/live/rows.h"

/* Zeroed, nothing was looked at. */
struct look {
	uint64_t ns;		/* since the process began */
	uint64_t start_ns;	/* when it began, to tell one process from another */
	uint32_t pid;
	char *command;
	int64_t heap, peak;
	double distance;	/* bytes between two sampled blocks; 0: nothing is an estimate */
	struct sampled_error heap_error, peak_error;
	uint64_t total, calls;	/* bytes allocated so far, calls of all functions */
	bool is_asleep;		/* nothing is recorded, and never was */
	bool is_stopped;	/* ... any more */
	bool has_places;	/* call stacks are recorded */
	bool has_history;	/* the curve was read as well */
	bool has_mark;		/* ... and there is a mark for look_read_mark() */
	struct live_values *site;
	uint32_t sites;
	uint64_t sites_ns;	/* the moment of site: ns, but for the values at a mark */
	struct live_sheet threads;	/* keys are of the names of the places */
	struct live_sheet processes;
	uint32_t *process_pid;	/* per item of processes */
};

/* look_take -- Reads the copy of a process and of the heads of others.
 *
 * l        overwritten; free with look_free() in any case.
 * places   brought up to date.
 * history  overwritten with heap and resident memory at the moments of the snapshots and samples
 *          in the copy; NULL: not wanted.
 * Returns 0, or -1 with ERR.
 */
int look_take(struct look *l, const char *file, struct places *places,
	      const struct settings *settings, struct live_curve *history, struct mu_error *err);

/* look_read_mark -- Reads the values of all sites at the last mark in the copy.
 *
 * l  a look at this process, of which only the sites and their moment are replaced.
 * Returns false, and L stays as it is, without a mark whose values are known.
 */
bool look_read_mark(struct look *l, const char *file, const struct places *places);

/* look_sheet -- Returns the values of the sites as a sheet, named by KEYS of COUNT sites.
 *
 * The caller frees its items.
 */
struct live_sheet look_sheet(const struct look *l, const uint32_t *keys, uint32_t count);

/* look_copy -- Makes TO, which holds nothing, a copy of its own. Dies without memory. */
void look_copy(struct look *to, const struct look *from);

/* look_free -- Releases everything. Accepts a zeroed struct. */
void look_free(struct look *l);
