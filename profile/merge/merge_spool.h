/* merge_spool.h -- What each process of a merge has at each place, in a file.
 *
 * It is too much for memory: ten thousand processes with two thousand places each. It is written
 * once, one process after the other, and read once for each list.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The figures that are compared: what a process held of a place at the most, at its end, ever. "At
 * the most" means at its own peak, at that of the sum, or at its end: the moments that are known of
 * all places. */
enum merge_figure { MERGE_AT_PEAK, MERGE_AT_END, MERGE_OF_ALL, MERGE_TEMPORARY, MERGE_FIGURES };

/* A place of a process: bytes, or of MERGE_TEMPORARY blocks. Not all are zero. */
struct merge_value {
	uint32_t site;		/* of the merge */
	int64_t figure[MERGE_FIGURES];
};

/* Zeroed, nothing is kept. */
struct merge_spool {
	FILE *file;		/* private; errors of writing stay with it */
};

/* merge_spool_open -- Keeps values in a file.
 *
 * fd  empty, for reading and writing; the spool closes it, also after a failure.
 * Returns 0, or -1 with errno.
 */
int merge_spool_open(struct merge_spool *s, int fd);

/* merge_spool_begin -- Begins the values of a process, of which COUNT follow. */
void merge_spool_begin(struct merge_spool *s, uint32_t process, uint32_t count);

/* merge_spool_put -- Adds a value. About ten bytes. */
void merge_spool_put(struct merge_spool *s, const struct merge_value *value);

/* merge_spool_rewind -- Ends writing, and goes back to the first process. Returns 0, or -1 with
 * errno: not all could be written. */
int merge_spool_rewind(struct merge_spool *s);

/* merge_spool_next -- Reads the head of the next process; all its values were read before.
 *
 * Returns false at the end.
 */
bool merge_spool_next(struct merge_spool *s, uint32_t *process, uint32_t *count);

/* merge_spool_get -- Reads a value. Returns false at the end. */
bool merge_spool_get(struct merge_spool *s, struct merge_value *value);

/* merge_spool_close -- Closes the file. Accepts a zeroed struct. */
void merge_spool_close(struct merge_spool *s);
