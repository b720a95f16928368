/* leak_records.h -- The loss records of a leak check: losses by call stack.
 *
 * Private to this room.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/leaks/leak_input.h"

struct leak_sums {
	uint64_t bytes, blocks;
};

struct leak_record {
	uint32_t site;	  /* one of those that it is made of, for its stack */
	uint16_t kind;	  /* enum mu_loss_kind */
	uint64_t key;	  /* of the part of the stack that counts */
	struct leak_sums own, indirect;
	struct leak_sums own_before, indirect_before; /* in the check before */
};

struct leak_records {
	struct leak_record *record; /* in the order of the report */
	size_t count;
};

/* leak_records_make -- Makes the records of a check, with the sums of the one before. */
void leak_records_make(struct leak_records *all, const struct leak_report *r);

/* leak_records_has_changed -- Tells whether a record is one of those that a report of DELTA is
 * about. */
bool leak_records_has_changed(const struct leak_record *r, enum leak_delta delta);

/* leak_records_is_shown -- Tells whether a report prints a record, but for its limit. */
bool leak_records_is_shown(const struct leak_record *record, const struct leak_report *r);

/* leak_records_first_shown -- Returns the index of the first record that a report prints within
 * its limit: the last ones are the largest. */
size_t leak_records_first_shown(const struct leak_records *all, const struct leak_report *r);

enum { LEAK_RECORD_KINDS = MU_LOSS_DEFINITE + 1 };

/* leak_records_number -- Returns the numbers, from 1, of the records that have the blocks of a site
 * and kind, at site * LEAK_RECORD_KINDS + kind; 0: none has. Free it. */
size_t *leak_records_number(const struct leak_records *all, const struct leak_report *r);

/* leak_records_free -- Releases everything. */
void leak_records_free(struct leak_records *all);
