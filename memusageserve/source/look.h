/* look.h -- The processes of a run at one moment, with the names of their places.
 *
 *	struct look l;
 *
 *	if (look_take(&l, &run, &options, &err) == 0)
 *		for (size_t i = 0; i < l.count; i++)
 *			use(&l.process[i]->export);
 *	look_close(&l);
 *
 * Names of a large program take seconds the first time: call it in a worker (worker.h).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "formats/export.h"
#include "memusageserve/source/run.h"
#include "profile/read/process_list.h"
#include "profile/read/result.h"
#include "profile/read/segment.h"

struct look_options {
	enum run_parts parts;
	pid_t pid;		/* only this process; 0: all */
	uint32_t first;		/* without the images of the recording before this one */
	bool has_names;		/* look up the names of places */
	bool no_names_cache;
};

/* One process. */
struct look_process {
	pid_t pid;		/* as it sees itself */
	uint32_t slot;
	uint32_t generation;	/* differs after an exec */
	struct image image;
	struct profile profile;	/* without RUN_FIGURES */
	struct filter filter;	/* likewise; with has_names */
	struct result result;
	struct export export;	/* of all these */
	struct site_errors change;	/* what its `change` points to, of a difference */
	char *command;
};

struct look {
	int file;		/* the copy, a kept recording */
	struct segment segment;
	struct process_list list;
	struct look_process **process;	/* owned */
	size_t count;
};

/* look_take -- Copies the processes and loads them.
 *
 * Returns 0, or -1 with ERR; call look_close() in either case. Dies for lack of memory.
 */
int look_take(struct look *l, const struct run *r, const struct look_options *o,
	      struct mu_error *err);

/* look_open -- Does the same with an earlier copy, which run_copy() wrote.
 *
 * file  duplicated.
 */
int look_open(struct look *l, int file, const struct look_options *o, struct mu_error *err);

/* look_close -- Releases everything. Fine for a zeroed struct. */
void look_close(struct look *l);
