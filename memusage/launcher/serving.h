/* serving.h -- `memusage --serve PROGRAM`: memusageserve for a program that memusage starts.
 *
 * It is another process, which reads the recording as `memusage --pid=PID` does, and ends with the
 * collector. So neither the launcher nor the program ever waits for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "memusage/common/listener.h"
#include "memusage/options/settings.h"

struct serving {
	bool is_wanted;
	struct listener listener;	/* until memusageserve has it */
	int recording;			/* the kept recording, for the last push; -1: none */
	pid_t pid;			/* 0: there is none */
};

/* serving_prepare -- Checks the options of --push, and opens the socket before the program runs.
 *
 * Dies if that cannot be, or if memusageserve is not installed. The socket is removed if the
 * launcher exits before serving_start().
 * recording  descriptor of the file to which the collector adds the processes that end; -1: none.
 */
void serving_prepare(struct serving *v, const struct settings *settings, int recording);

/* serving_forget -- Closes the socket in another process of the run. */
void serving_forget(struct serving *v);

/* serving_start -- Starts memusageserve.
 *
 * mask     signals that it blocks.
 * private  a descriptor that it closes.
 */
void serving_start(struct serving *v, const struct settings *settings, pid_t program,
		   pid_t collector, const sigset_t *mask, int private);

/* serving_ended -- Notes that child PID has ended. Warns the user if it was memusageserve, and a
 * signal killed it. */
void serving_ended(struct serving *v, pid_t pid, int status);
