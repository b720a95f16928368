/* snapshot_log.h -- the log of all snapshots, for the lines that a verbose Massif prints
 * (docs/format.md, section 8). Only with MU_CFG_SNAPSHOT_LOG; the events of such runs take the
 * general path (MODE_ACCOUNTING).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

/* snapshot_log_init -- make the empty table of a new image, if one is wanted. */
void snapshot_log_init(void);

/* snapshot_log_forked -- mark the present entries as the parent's, in a forked child. */
void snapshot_log_forked(void);

/* snapshot_log_count_event -- count an event before it may cause a snapshot. Async-signal-safe.
 *
 * what  MU_MASSIF_ALLOCS, _REALLOCS or _FREES; ignored ones offer none.
 */
void snapshot_log_count_event(enum mu_massif_count what, bool is_ignored);

/* snapshot_log_count_ignored_realloc -- count a realloc that is ignored.
 *
 * was_ignored  its block was ignored before, too.
 */
void snapshot_log_count_ignored_realloc(bool was_ignored);

/* snapshot_log_append -- append a snapshot. Needs the lock of snapshots.c. */
void snapshot_log_append(const struct mu_snapshot *snapshot, uint64_t time);
