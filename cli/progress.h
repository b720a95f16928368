/* progress.h -- a progress line for work that takes longer than a second.
 *
 * It appears only when standard error is a terminal, and is wiped when the work ends: a
 * script, a log file or a quick run never sees it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `done` of `total` units of work; a total of 0 is unknown and shows a count instead. */
struct progress {
	const char *what;	/* "reading out.dat"; borrowed */
	uint64_t total;
	uint64_t shown_ns;	/* when the line was drawn last, or the work began */
	bool is_terminal;
	bool is_drawn;
};

/* progress_begin -- Starts the clock; draws nothing yet.
 *
 * what   the start of the line; must outlive the work.
 * total  units of work to come, 0 if unknown.
 */
void progress_begin(struct progress *p, const char *what, uint64_t total);

/* progress_update -- say that DONE units are finished.
 *
 * Cheap enough for every buffer (one clock read), not for every record. Draws after the
 * first second, then ten times a second at most.
 */
void progress_update(struct progress *p, uint64_t done);

/* progress_update_total -- the same as a callback, of TOTAL units in a struct progress. */
void progress_update_total(size_t done, size_t total, void *progress);

/* progress_end -- wipe the line, if there is one. Call before printing anything else. */
void progress_end(struct progress *p);
