/* not_recorded.h -- Why a program or a process is not recorded, and what the kernel knows of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* The facts when nothing was recorded. */
struct not_recorded {
	const char *program; /* its file name */
	const char *filter;  /* of --progname, or NULL */
	uint64_t ignored;    /* images that registered and were filtered out */
	uint64_t refused;    /* images that got no slot */
};

enum { NOT_RECORDED_TEXT = 1024 };

/* not_recorded_reason -- Returns TEXT with the reason in one line, without "memusage: ".
 *
 * Reads the program's file, which may be any file.
 */
const char *not_recorded_reason(const struct not_recorded *n, char text[NOT_RECORDED_TEXT]);

/* not_recorded_explain -- Prints that process PID does not run under memusage, the use and growth
 * of its memory according to the kernel, and the command that runs it under memusage.
 *
 * Takes three seconds. Always returns -1, since the user's command cannot be done.
 */
int not_recorded_explain(pid_t pid);
