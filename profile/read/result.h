/* result.h -- what a summary says about one image, copied out of the recording.
 *
 * A slot is reused as soon as its process is gone; a result stays.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/counters.h"
#include "profile/read/image.h"
#include "profile/read/image_end.h"
#include "profile/read/marks.h"
#include "profile/read/site_errors.h"
#include "profile/read/timeline.h"
#include "profile/read/unwound.h"
#include "recording/recording.h"

enum {
	RESULT_PATH = 4096,
	RESULT_THREADS = 64,	/* threads of which details are kept */
	RESULT_SYMBOLS = 96,	/* intercepted functions, likewise */
	RESULT_PARTS = 4	/* parts of a run that began asleep, likewise */
};

/* One thread record: the threads that used it one after another. Bytes. */
struct result_thread {
	uint32_t tid;
	char name[17];		/* raw bytes of the program, zero-terminated */
	uint64_t stack_peak;	/* deepest seen by an event or sample */
	uint64_t stack_mark;	/* the kernel's high-water mark, 0 unknown */
};

/* A function that was to be intercepted; raw bytes of files, cut, zero-terminated. */
struct result_symbol {
	char name[160];
	char object[96];	/* the last part of its path */
	char why[112];		/* completes "NAME: ": why it is not; "": it is */
	uint64_t calls;
	uint32_t kind;		/* enum mu_symbol_kind */
	uint32_t rule;
};

/* The recorded parts of a process that began asleep (--start-paused). */
struct result_recorded {
	bool began_asleep;	/* otherwise the rest is zero */
	uint64_t parts;		/* times in which it was recorded */
	uint64_t ns;		/* ... in all, without a last one whose end is not known */
	uint64_t earlier_frees;	/* frees of blocks from before or between them */
	uint64_t earlier_reallocs;
	enum mu_before before;	/* what is known of those that an attacher found, as in ... */
	uint64_t before_blocks, before_bytes, before_gone; /* ... struct mu_recorded */
	struct mark_part part[RESULT_PARTS]; /* the first ones */
};

struct result {
	struct counters counters;
	struct mu_process process;	/* its strings are below */
	struct mu_drops drops;
	uint64_t labels_dropped;	/* for which there was no room */
	uint64_t log_lost;	/* records of the event log that were dropped */
	uint32_t notes;		/* enum mu_note */
	uint32_t threads_max;	/* most that lived at once */
	struct image_end end;	/* how the process ended */
	uint64_t heap_now;	/* bytes live at the end */
	uint64_t heap_peak;
	uint64_t peak_bound;	/* heap_peak is exact to within so many bytes; 0 also if it
				 * is an estimate */
	uint64_t stack_peak;	/* of the deepest thread */
	uint64_t fork_peak;	/* the highest heap since the fork, or heap_peak */
	uint64_t own_peak;	/* fork_peak, without what a forked child got from its parent */
	uint64_t own_now;	/* likewise of heap_now; what it freed of that counts, too */
	uint64_t own_calls;	/* since the fork, or all */
	uint64_t own_bytes;	/* likewise: of heap total */
	struct memory_split memory;	/* when most was resident; zero without a timeline */
	bool has_accesses;	/* reads and writes were counted */
	uint64_t read_bytes;	/* ... in blocks */
	uint64_t written_bytes;
	uint64_t copied_bytes;	/* in copy mode */
	uint64_t copies;
	uint64_t rss_peak;	/* the kernel's own high-water mark, 0 unknown */
	uint32_t request_places;	/* of Valgrind's macros that are served */
	uint32_t request_refused;	/* ... and that are not */
	uint64_t pages_own, pages_stack; /* as in struct mu_image */
	struct unwound unwound;	/* call stacks that are not whole */
	double sample_distance;	/* mean bytes between two sampled blocks; 0: all were recorded */
	uint64_t samples;	/* ... of which there were so many */
	uint64_t sample_losses;	/* ... and so many more, which could not be recorded */
	struct site_errors errors;	/* from site_errors_sum(): of heap_peak and heap_now, which
					 * are estimates then */
	struct sampled_error own_peak_error, own_now_error;	/* of own_peak, own_now */
	uint64_t pauses;	/* how often the program paused recording */
	uint64_t paused_ns;	/* ... and for how long */
	bool is_paused;		/* ... to its end */
	struct result_recorded recorded;
	uint32_t own_functions;	/* of the program's own malloc that are intercepted */
	uint32_t idle_functions;	/* of known allocators that are, but were not called */
	uint32_t symbol_count;	/* entries of symbol: all other functions that fit */
	uint32_t symbols_more;	/* ... and those that do not */
	struct result_symbol symbol[RESULT_SYMBOLS];
	uint32_t thread_count;	/* entries of thread */
	struct result_thread thread[RESULT_THREADS];
	char exe[RESULT_PATH];
	char name[256];		/* last part of the first argument; raw bytes */
	char foreign[RESULT_PATH];	/* object whose malloc is not seen, "" none */
};

/* result_take -- copy everything out of an image.
 *
 * r   overwritten.
 * im  of a live or dead process; refreshed first.
 */
void result_take(struct result *r, struct image *im);

/* result_take_figures -- the same without memory, pauses, accesses, broken stacks, functions and
 * the errors of estimates.
 *
 * Leaves zeros there. For lists of all processes.
 */
void result_take_figures(struct result *r, struct image *im);

/* result_take_estimates -- add how the process was sampled, and the errors of estimates.
 *
 * r  from result_take_figures(). Without memory for the errors, estimates look exact.
 * Cost O(cells), if it was sampled.
 */
void result_take_estimates(struct result *r, const struct image *im);
