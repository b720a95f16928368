/* symbols_read.h -- read the names of one module; the part of symbols.c that touches files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_SYMBOLS_SYMBOLS_READ_H
#define PROFILE_SYMBOLS_SYMBOLS_READ_H

#include "profile/symbols/symbols.h"

/* A level before its texts have numbers. NULL: unknown. */
struct symbols_raw {
	const char *name;
	const char *full;
	const char *file;
	uint32_t base;
	uint32_t line;
};

/* Receives all levels of one request, innermost first. Texts live during the call only. */
typedef void (*symbols_raw_fn)(size_t request, const struct symbols_raw *level, size_t count,
			       void *data);

/* The requests of one module: [first, end). */
struct symbols_job {
	const struct symbols_module *module;
	const struct symbols_request *request;
	size_t first;
	size_t end;
	const struct symbols_options *options;
	symbols_raw_fn found;
	/* Called when all files are open, with their bytes, before they are read; NULL: nothing. */
	void (*opened)(uint64_t bytes, void *data);
	void *data;
};

/* symbols_read -- look up the requests of one module.
 *
 * Calls found() at most once per request. Returns what is to be said of the module. May not
 * return at all, if the file is bad enough.
 */
enum symbols_state symbols_read(const struct symbols_job *job);

#endif
