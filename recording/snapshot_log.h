/* snapshot_log.h -- The log of all snapshots that were taken, and Massif's counts.
 *
 * docs/format.md, section 8. SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* A snapshot when it was taken, with MU_CFG_SNAPSHOT_LOG. The first two entries hold eight 64-bit
 * numbers instead: enum mu_massif_count. */
struct mu_snapshot_log_entry {
	uint64_t time; /* in the unit chosen */
	int64_t heap;
	int64_t extra;
	uint16_t kind;	/* enum mu_snapshot_kind */
	uint16_t event; /* enum mu_massif_count of its event, MU_MASSIF_COUNT: the start */
	uint32_t skipped; /* offers since the one before */
};

/* Massif's counts. */
enum mu_massif_count {
	MU_MASSIF_ALLOCS = 0,
	MU_MASSIF_REALLOCS = 1,
	MU_MASSIF_FREES = 2,
	MU_MASSIF_IGNORED_ALLOCS = 3,
	MU_MASSIF_IGNORED_REALLOCS = 4,
	MU_MASSIF_IGNORED_FREES = 5,
	MU_MASSIF_SILENT = 6, /* reallocs that offered no snapshot */
	MU_MASSIF_FORKED = 7, /* entries that the parent wrote before the fork, 0: no fork */
	MU_MASSIF_COUNT = 8
};
