/* running.h -- Read the recording of a run that is not over.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Tells whether the recording FD is complete by now: segment_file_is_complete(). */
typedef bool running_is_over(int fd);

/* running_copy -- Makes a copy of a recording to which the processes that still run are added.
 *
 * own     the name of this program, "memusagestat", by which memusage is found.
 * fd      of the recording.
 * writer  the process that writes it, according to its header.
 * is_over  asked if WRITER does not answer: the run may have ended since the header was read.
 * Prints what the result is: the copy, or why there is none. Nothing of the file is believed: only
 * a file of our own user is copied, `memusage --pid` talks to our own user's collectors only, and
 * adds nothing unless the collector's memory is of the same run.
 * Returns a descriptor of a nameless file, or of the file itself if its run has just ended; or -1:
 * then FD is all that there is.
 */
int running_copy(const char *own, int fd, const char *name, pid_t writer,
		 running_is_over *is_over);
