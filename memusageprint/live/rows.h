/* rows.h -- The rows of a live view: what was counted at two or three moments, side by side.
 *
 * Pure: no terminal, no recording, no clock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/strings.h"
#include "profile/read/site_errors.h"

/* Figures of a place, a thread or a process at one moment. */
struct live_values {
	int64_t bytes;		/* live; of a thread: allocated so far */
	uint64_t total;		/* allocated so far; of a thread: its deepest stack; of a process:
				 * its peak */
	int64_t blocks;		/* live; of a thread or process: calls */
	struct sampled_error error;	/* of bytes, if they are an estimate */
};

/* Values of something with the name KEY; several items may have the same. */
struct live_item {
	uint32_t key;		/* of the strings; 0: does not count */
	struct live_values values;
};

/* The figures of one moment. */
struct live_sheet {
	struct live_item *item;	/* owned by the maker of the sheet */
	uint32_t count;
};

struct live_sheets {
	struct live_sheet now, before, mark;
	double seconds;		/* from before to now; 0: nothing is known of changes */
};

enum live_column {
	LIVE_BYTES, LIVE_TOTAL, LIVE_BLOCKS, LIVE_RATE, LIVE_SINCE, LIVE_NAME, LIVE_COLUMNS
};

/* Where a row is in a tree of callers; zeroed in any other table. */
struct live_branch {
	uint32_t node;
	unsigned int depth;	/* columns of lines before the name */
	uint64_t bars;		/* bit N: the line in column N goes on below */
	bool is_head;		/* the line in the last column begins at this row */
	bool is_last;		/* ... and ends there */
};

struct live_row {
	uint32_t key;
	struct live_branch branch;
	struct live_values values;
	double rate;		/* change of bytes in a second */
	int64_t since;		/* ... since the mark */
};

struct live_order {
	enum live_column column;
	bool is_reversed;	/* smallest first, or names from Z to A */
	const char *filter;	/* part of the names that are shown, in either case; "": all */
};

struct live_rows {
	struct live_row *row;
	uint32_t count;
	uint32_t left_out;	/* rows that the filter hides */
	struct live_row sum;	/* of the rows that are shown */
};

/* The character between the function of a place and its line in a name. */
#define LIVE_NAME_PARTS '\037'

/* rows_build -- Puts the sheets side by side, a row for each name.
 *
 * r      overwritten; free with rows_free().
 * names  of the keys of all sheets. A key that it does not have counts nowhere.
 * Names without anything now and without a change since the mark have no row.
 * Rows that are equal in the column of the order are ordered by bytes, then by name.
 * Cost O(items + names + rows log rows). Dies without memory.
 */
void rows_build(struct live_rows *r, const struct strings *names, const struct live_sheets *sheets,
		const struct live_order *order);

/* rows_make -- Returns the row of a name.
 *
 * before, mark  its bytes at earlier moments.
 * seconds       since before, as in struct live_sheets.
 */
struct live_row rows_make(uint32_t key, const struct live_values *now, int64_t before, int64_t mark,
			  double seconds);

/* rows_is_empty -- Tells whether there is nothing now and no change since the mark. */
bool rows_is_empty(const struct live_row *row);

/* rows_add -- Adds values up; sums of a damaged recording wrap around. */
void rows_add(struct live_values *to, const struct live_values *from);

/* rows_sort -- Sorts rows by ORDER; equal ones by bytes, then by name. */
void rows_sort(struct live_row *row, uint32_t count, const struct strings *names,
	       const struct live_order *order);

/* rows_name_matches -- Tells whether a name has the text of a filter in it, in either case. */
bool rows_name_matches(const char *name, const char *filter);

/* rows_free -- Releases memory. Accepts a zeroed struct, and a second call. */
void rows_free(struct live_rows *r);
