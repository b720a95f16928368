/* snapshot_log.h -- every snapshot when it is taken, for the lines that Massif prints when asked to
 * talk (docs/format.md, section 8). Only with MU_CFG_SNAPSHOT_LOG; the events of such runs take the
 * general path (MODE_ACCOUNTING).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_SNAPSHOT_LOG_H
#define LIBMEMUSAGE_TABLES_SNAPSHOT_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

/* journal_init -- make the empty table of a new image, if one is wanted. */
void journal_init(void);

/* journal_forked -- in a child: what is there was its parent's. */
void journal_forked(void);

/* journal_event -- count an event before it may offer a snapshot. Async-signal-safe.
 *
 * what  MU_MASSIF_ALLOCS, _REALLOCS or _FREES; ignored ones offer none.
 */
void journal_event(enum mu_massif_count what, bool is_ignored);

/* journal_realloc -- count a realloc that is ignored; was_ignored: its block was before. */
void journal_realloc(bool was_ignored);

/* journal_add -- note a snapshot. Under the lock of snapshots.c. */
void journal_add(const struct mu_snapshot *snapshot, uint64_t time);

#endif
