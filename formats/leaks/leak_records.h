/* leak_records.h -- The loss records of a leak check: losses by call stack.
 *
 * Private to leak_report.c.
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

enum { LEAK_RECORD_KINDS = MU_LOSS_DEFINITE + 1 };

/* leak_records_number -- Returns the numbers, from 1, of the records that have the blocks of a site
 * and kind, at site * LEAK_RECORD_KINDS + kind; 0: none has. Free it. */
size_t *leak_records_number(const struct leak_records *all, const struct leak_report *r);

/* leak_records_free -- Releases everything. */
void leak_records_free(struct leak_records *all);
