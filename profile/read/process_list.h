/* process_list.h -- All processes of a recording, with the figures that compare them.
 *
 *	struct process_list list;
 *
 *	if (process_list_load(&list, &segment, &err) == 0)
 *		...;
 *	process_list_free(&list);
 *
 * An entry is an image: a process that executed another program has several.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/base/error.h"
#include "profile/read/image_end.h"
#include "profile/read/segment.h"
#include "profile/read/site_errors.h"

struct process_entry {
	uint32_t slot;
	pid_t pid;		/* as the collector saw it */
	pid_t parent;		/* likewise if it was recorded, else as the process saw it */
	bool has_parent;	/* the parent is in the list */
	bool is_forked;		/* began as a copy of its parent, else by an exec */
	bool has_pages;		/* its pages were examined: pages.h */
	bool has_holders;	/* what holds its blocks was examined: holders.h */
	bool is_last;		/* no later image of the same process is in the list */
	uint64_t start_ns;	/* CLOCK_MONOTONIC */
	uint64_t end_ns;	/* likewise; 0 unknown */
	uint64_t peak;		/* bytes: highest heap */
	uint64_t live;		/* bytes that were live at the end */
	uint64_t own_peak;	/* the same two without the heap at its fork */
	uint64_t own_live;
	uint64_t own_calls;	/* since its fork */
	double sample_distance;	/* mean bytes between two samples; 0: the bytes are exact */
	struct sampled_error peak_error;	/* of peak, and of the own figures */
	struct sampled_error own_peak_error, own_live_error;
	struct image_end end;
	char name[256];		/* last part of the first argument; raw bytes */
	char *command;		/* the arguments, joined by blanks; raw bytes */
};

struct process_list {
	struct process_entry *entry;	/* in order of their beginning */
	uint32_t count;
	uint32_t processes;		/* entries with is_last */
	uint64_t own_peaks;		/* sums of these over all entries */
	uint64_t own_lives;
	uint64_t own_calls;
	bool is_estimated;		/* bytes are estimates: blocks were sampled */
};

/* The figure by which processes are compared. */
enum process_figure { PROCESS_PEAK, PROCESS_LIVE, PROCESS_CALLS, PROCESS_PAGES, PROCESS_HOLDERS };

/* process_figure_of -- Returns the own figure of a process: bytes, or calls. PAGES are live bytes
 * of one whose pages were examined, and 0 of another. */
uint64_t process_figure_of(const struct process_entry *e, enum process_figure figure);

/* process_list_load -- Reads the figures of all images.
 *
 * list  overwritten; the caller calls process_list_free(). Images that cannot be read are left out.
 * Cost  about 50 us for each image, twice that if it was sampled, and more if it has many cells.
 */
void process_list_load(struct process_list *list, const struct segment *s);

/* process_list_free -- Releases it. Accepts a zeroed struct. */
void process_list_free(struct process_list *list);

/* process_is_clearly_larger -- Tells whether an image that ended by exec has so much more than
 * the last image with most that reports are about the former.
 *
 * Otherwise the shell that starts a small program would hide it: bash has 280 KiB and 7,000 calls
 * when it executes one.
 */
bool process_is_clearly_larger(uint64_t earlier, uint64_t last, enum process_figure figure);

/* process_list_largest -- Returns the image whose own figure is the highest: a last image of a
 * process, or one before an exec that is clearly larger than all of them.
 *
 * first  slot of a last image that wins against equal ones.
 * Returns NULL if the list is empty.
 */
const struct process_entry *process_list_largest(const struct process_list *list, uint32_t first,
						 enum process_figure figure);

/* process_list_earlier -- Returns the image of a process whose own figure is the highest of those
 * that ended by exec.
 *
 * pid  as the collector saw it; 0: any process.
 * Returns NULL if no process has executed another program.
 */
const struct process_entry *process_list_earlier(const struct process_list *list, pid_t pid,
						 enum process_figure figure);

/* process_list_next_image -- Returns the image that the process of E executed, or NULL. */
const struct process_entry *process_list_next_image(const struct process_list *list,
						    const struct process_entry *e);

/* process_list_last_image -- Returns the last image of the process of E, which may be E. */
const struct process_entry *process_list_last_image(const struct process_list *list,
						    const struct process_entry *e);

/* process_list_find -- Returns the entry of a slot, or NULL. */
const struct process_entry *process_list_find(const struct process_list *list, uint32_t slot);

/* process_list_name_all -- Writes the first processes, such as "12 (make), 15 (cc)", to TEXT.
 *
 * The rest is counted: "and 7 more". Bytes of names are as they are.
 */
void process_list_name_all(const struct process_list *list, char *text, size_t size);
