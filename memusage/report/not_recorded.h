/* not_recorded.h -- why a program was not recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_NOT_RECORDED_H
#define MEMUSAGE_REPORT_NOT_RECORDED_H

#include <stdint.h>

/* What is known when nothing was recorded. */
struct nothing {
	const char *program;	/* its file */
	const char *filter;	/* of --progname, NULL none */
	uint64_t ignored;	/* images that asked and were filtered out */
	uint64_t refused;	/* images for which there was no room */
};

enum { NOTHING_TEXT = 1024 };

/* nothing_reason -- one line, without "memusage: ", that says why.
 *
 * Looks at the program's file, which may be anything. Returns TEXT.
 */
const char *nothing_reason(const struct nothing *n, char text[NOTHING_TEXT]);

#endif
