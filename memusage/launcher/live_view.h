/* live_view.h -- `memusage --live PROGRAM`: the live view of a program that memusage starts.
 *
 * The view has the terminal, so the program gets none: if its input is the terminal, it reads
 * /dev/null; what it would write to the terminal is kept in a nameless file, and is shown when the
 * view is left. The view is another process, which does what `memusage --pid=PID live` does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "memusage/options/settings.h"

/* Zeroed, there is no view, and all functions do nothing. */
struct live_view {
	bool is_wanted;
	pid_t pid;		/* 0: it has been left */
	pid_t program;
	int kept;		/* output of the program, -1: none is kept */
	int saved[3];		/* our own standard files, while it has others; -1: it has none */
	bool is_followed;	/* output goes to the terminal now */
	int terminal;		/* ... which is this */
};

/* live_view_prepare -- Checks that there can be a view, before the program runs. Dies if not. */
void live_view_prepare(struct live_view *v, const struct settings *settings);

/* live_view_redirect -- Replaces those of our standard files that are the terminal, for a program
 * that is started now. */
void live_view_redirect(struct live_view *v);

/* live_view_restore -- Takes our own standard files back. */
void live_view_restore(struct live_view *v);

/* live_view_start -- Starts the view of PROGRAM.
 *
 * mask     signals that it blocks.
 * private  a descriptor that it closes.
 */
void live_view_start(struct live_view *v, const struct settings *settings, pid_t program,
		     const sigset_t *mask, int private);

/* live_view_ended -- Notes that child PID has ended.
 *
 * If it was the view, the program's output goes to the terminal from now on.
 */
void live_view_ended(struct live_view *v, const struct settings *settings, pid_t pid);

/* live_view_follow -- Writes what the program has written since the last call, after the view.
 *
 * Returns whether it is to be called again soon.
 */
bool live_view_follow(struct live_view *v);

/* live_view_finish -- The program has ended: waits until the user leaves the view, and writes the
 * rest of the output. */
void live_view_finish(struct live_view *v);
