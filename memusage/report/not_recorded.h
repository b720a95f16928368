/* not_recorded.h -- why a program was not recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_NOT_RECORDED_H
#define MEMUSAGE_REPORT_NOT_RECORDED_H

#include <stdint.h>
#include <sys/types.h>

/* What is known when nothing was recorded. */
struct not_recorded {
	const char *program;	/* its file */
	const char *filter;	/* of --progname, NULL none */
	uint64_t ignored;	/* images that asked and were filtered out */
	uint64_t refused;	/* images for which there was no room */
};

enum { NOT_RECORDED_TEXT = 1024 };

/* not_recorded_reason -- one line, without "memusage: ", that says why.
 *
 * Looks at the program's file, which may be anything. Returns TEXT.
 */
const char *not_recorded_reason(const struct not_recorded *n, char text[NOT_RECORDED_TEXT]);

/* not_recorded_explain -- that it does not, what its memory is used for and how that grows, as far
 * as the kernel knows, and how to start it again under memusage.
 *
 * Takes three seconds. Always returns -1: what was asked for cannot be done.
 */
int not_recorded_explain(pid_t pid);

#endif
