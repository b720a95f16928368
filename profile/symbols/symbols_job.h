/* symbols_job.h -- What is looked up in one module, how, and what is found.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/names/raw_level.h"
#include "profile/symbols/elf_file.h"

struct names_cache;
struct names_key;

struct symbols_module {
	const char *path;	/* as the process saw it; NULL: code made at run time (JIT) */
	struct build_id id;	/* as recorded; a length of 0 is not compared */
};

/* An address to look up. */
struct symbols_request {
	uint64_t address;	/* as the module's file counts: without the bias of loading. For a
				 * return address that of the call: one less. JIT: as it is */
	uint32_t module;	/* index in the list of modules */
};

enum symbols_state {
	SYMBOLS_UNREAD = 0,	/* nothing was asked of the module */
	SYMBOLS_READ,		/* names were found, or at least looked for */
	SYMBOLS_MISSING,	/* the file cannot be opened */
	SYMBOLS_OTHER_BUILD,	/* it is not the file that ran: build-ids differ */
	SYMBOLS_DOUBTFUL,	/* names were found, in a file that was changed since the process
				 * began and has no build-id to tell */
	SYMBOLS_FAILED		/* the child died of it, or took too long */
};

/* symbols_state_has_names -- Tells whether names of such a module were looked up. */
static inline bool symbols_state_has_names(enum symbols_state state)
{
	return state == SYMBOLS_READ || state == SYMBOLS_DOUBTFUL;
}

typedef void (*symbols_progress_fn)(size_t done, size_t total, void *data);

struct symbols_options {
	const char *root;	/* directory that paths begin at, "/proc/PID/root"; NULL: "/" */
	const char *const *roots;	/* others, which are tried first, and taken if
					 * the build fits; may be NULL */
	size_t root_count;
	const char *perf_map;	/* names of JIT code, "/tmp/perf-PID.map", below root; or NULL */
	uid_t owner;		/* of the process: who else may have written that */
	uint64_t start_ns;	/* of the process, by CLOCK_REALTIME: files that are younger may be
				 * others than those that ran; 0: not known */
	bool debuginfod;	/* ask servers for missing debug files */
	bool no_inlines;	/* only the function itself, with the innermost line */
	bool no_demangle;
	bool in_process;	/* no child: for tests, and for who is in one already */
	const struct names_cache *cache;	/* of what was looked up earlier; NULL: none. Not
						 * with in_process */
	unsigned int seconds;	/* of CPU time per module, and a third of what all together may
				 * take, besides what the size of the files explains; 0: 20 */
	uint64_t memory;	/* bytes of address space that may be added; 0: 1 GiB, and four
				 * times the size of the files */
	symbols_progress_fn progress;	/* called now and then; may be NULL */
	void *data;		/* for progress */
};

/* Receives all levels of one request, innermost first. Texts live during the call only. */
typedef void (*symbols_raw_fn)(size_t request, const struct raw_level *level, size_t count,
			       void *data);

/* Facts that are known when all files are open, before they are read. */
struct symbols_opened {
	enum symbols_state state;	/* of the module, if reading succeeds */
	uint64_t bytes;			/* of the files */
	const struct names_key *key;	/* of the answer, for names_cache_open() */
};

/* The requests of one module: [first, end). */
struct symbols_job {
	const struct symbols_module *module;
	const struct symbols_request *request;
	size_t first;
	size_t end;
	const struct symbols_options *options;
	symbols_raw_fn found;
	/* Called when all files are open. May set is_known[i], of end - first, if nothing is to be
	 * found for request first + i; NULL: nothing. */
	void (*opened)(const struct symbols_opened *opened, bool *is_known, void *data);
	/* Set if a later answer may differ, because a file was missing, changed or could not be
	 * read; NULL: nothing. */
	bool *is_incomplete;
	void *data;
};

/* Receives the state of one job. */
typedef void (*symbols_state_fn)(size_t job, enum symbols_state state, void *data);
