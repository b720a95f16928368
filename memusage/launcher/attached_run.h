/* attached_run.h -- Recording a process that runs already, instead of running a program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stdint.h>

#include "memusage/attach/attach.h"
#include "memusage/common/wire.h"
#include "memusage/record/session.h"

#define ATTACHED_LIBRARY "libmemusage_attach.so"

struct attached_run {
	struct attachment *attachment; /* NULL: a program is run */
	int pidfd;		       /* of the process, -1 none */
	int memory;		       /* attach_open_memory() */
	uint64_t end_ns;	       /* CLOCK_MONOTONIC when --duration is over, 0 never */
};

/* attached_run_program -- Returns the file that process PID executes; to be freed. */
char *attached_run_program(unsigned int pid);

/* attached_run_begin -- Attaches to the process of the settings, or ends with a message.
 *
 * s  gets its arena; everything else of it is prepared.
 */
void attached_run_begin(struct attached_run *r, struct session *s, const struct mu_config *config);

/* attached_run_detach -- Takes the recorder of a killed attacher away from the process of the
 * settings. Returns the exit status: 0, also if there was none, or 125 after a message. */
int attached_run_detach(const struct settings *settings);

/* attached_run_take_signal -- Takes the signals that are pending.
 *
 * Returns whether there was one that would end memusage: it ends the recording. */
bool attached_run_take_signal(const sigset_t *taken);

/* attached_run_is_over -- Tells whether the process has ended, or executes another program, or the
 * time is over, or a condition of --snapshot-when was met.
 *
 * wire  to the collector, which tells that; -1: there is none.
 * Waits for some milliseconds at most if it is not over.
 */
bool attached_run_is_over(struct attached_run *r, int wire);

/* attached_run_leave -- Examines the process if that is wanted, and takes the recorder away; unless
 * it is gone.
 *
 * Returns what has become of it.
 */
enum wire_left attached_run_leave(struct attached_run *r, const struct session *s);
