/* ledger.h -- What the collector knows of a run, kept in the file of a durable arena.
 *
 * It is behind the segment, where no process of the program has mapped the file: see
 * docs/format.md, section 14. All of it is hostile when it is read: the descriptor of the file was
 * in the program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/common/samples.h"
#include "recording/recording.h"

#define LEDGER_MAGIC UINT64_C(0x3147444c554d454d) /* "MEMULDG1" */

enum { LEDGER_VERSION = 1, LEDGER_COMMAND = 2048 };

/* One page, at the end of the segment. */
struct ledger_head {
	uint64_t magic;
	uint32_t version;
	uint32_t number;	/* of the arena in its run, from 0 */
	uint32_t root;		/* process ID of the started program, 0: not started yet */
	uint32_t owner;		/* ... of the process that the summary is about, 0: none yet */
	uint32_t slot_count;	/* entries of struct ledger_slot behind this page */
	uint32_t sample_size;	/* bytes of each mu_sample */
	char command[LEDGER_COMMAND]; /* memusage's arguments as typed, for people */
};

/* One per slot, followed by SAMPLES_MAX samples. */
struct ledger_slot {
	uint64_t claimed_ns;	/* of the slot, as is generation: others are of an earlier image */
	uint32_t generation;
	uint32_t pid;		/* as the collector sees the process */
	uint64_t rss_peak;
	uint32_t count;		/* of samples */
	uint32_t stride;
	uint64_t reserved[4];
};

/* Where the ledger of an arena is. */
struct ledger {
	int fd;			/* borrowed; -1: the arena has none */
	uint64_t start;		/* of the head in the file */
	uint32_t slot_count;	/* slots that have entries */
};

/* ledger_bytes -- Returns how many bytes the ledger of SLOTS slots needs. */
uint64_t ledger_bytes(uint32_t slots);

/* ledger_begin -- Writes the head.
 *
 * number   of the arena in its run.
 * command  text for people, cut to its room.
 * Returns false if it cannot be written (a full disk).
 */
bool ledger_begin(const struct ledger *l, unsigned int number, const char *command);

/* ledger_set_root, ledger_set_owner -- Note a process. Failures have no effect. */
void ledger_set_root(const struct ledger *l, pid_t root);
void ledger_set_owner(const struct ledger *l, pid_t owner);

/* ledger_store -- Keeps process and samples of the image in slot K.
 *
 * slot     its entry of the slot table.
 * samples  only what may have changed since the last call is written: all, if kept_stride is not
 *          the stride, or the last one. kept_stride is set.
 * A full disk loses samples, no more. Cost 2 us.
 */
void ledger_store(const struct ledger *l, uint32_t k, const struct mu_slot *slot, pid_t pid,
		  struct samples *samples);

/* ledger_read -- Reads the head. Returns false if there is none. HEAD's text is terminated. */
bool ledger_read(const struct ledger *l, struct ledger_head *head);

/* ledger_read_slot -- Reads what was kept of the image in slot K.
 *
 * slot     its entry of the slot table; an entry of another image counts as none.
 * pid      receives the process, 0: not known.
 * samples  receives the samples, zeroed if there are none; release it with samples_free().
 */
void ledger_read_slot(const struct ledger *l, uint32_t k, const struct mu_slot *slot, pid_t *pid,
		      struct samples *samples);
