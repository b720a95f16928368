/* progress.c -- a progress line for work that takes longer than a second.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/units.h"

static const uint64_t FIRST_NS = 1000000000;
static const uint64_t NEXT_NS = 100000000;

static uint64_t monotonic_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* One write per line, without a newline, so that the next one overwrites it. A name with control
 * characters in it is not shown on the terminal. */
static void draw_progress_line(struct progress *p, uint64_t done)
{
	char what[64], line[160], count[UNITS_LENGTH];
	int n;

	snprintf(what, sizeof(what), "%s", p->what);
	terminal_clean_text(what);
	if (p->total > 0)
		n = snprintf(line, sizeof(line), "\r%.32s: %s: %3d%%\033[K", message_tool(), what,
			     (int)((double)done * 100 / (double)p->total));
	else
		n = snprintf(line, sizeof(line), "\r%.32s: %s: %s\033[K", message_tool(), what,
			     units_grouped(count, done));
	if (write(STDERR_FILENO, line, (size_t)n) != n)
		p->is_terminal = false;
	p->is_drawn = true;
}

void progress_begin(struct progress *p, const char *what, uint64_t total)
{
	*p = (struct progress){
		.what = what,
		.total = total,
		.shown_ns = monotonic_now_ns(),
		.is_terminal = isatty(STDERR_FILENO) == 1,
	};
}

void progress_update_total(size_t done, size_t total, void *progress)
{
	struct progress *p = progress;

	p->total = total;
	progress_update(p, done);
}

void progress_update(struct progress *p, uint64_t done)
{
	uint64_t now;

	if (!p->is_terminal)
		return;
	now = monotonic_now_ns();
	if (now - p->shown_ns < (p->is_drawn ? NEXT_NS : FIRST_NS))
		return;
	p->shown_ns = now;
	draw_progress_line(p, done);
}

void progress_end(struct progress *p)
{
	static const char wipe[] = "\r\033[K";

	if (p->is_drawn && write(STDERR_FILENO, wipe, sizeof(wipe) - 1) < 0)
		p->is_terminal = false;
	p->is_drawn = false;
}
