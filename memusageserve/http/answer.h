/* answer.h -- Makes the answer to a request, in a worker.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "memusageserve/http/request.h"
#include "memusageserve/source/push_counts.h"
#include "memusageserve/source/run.h"
#include "memusageserve/source/worker.h"

/* Everything is borrowed. */
struct answer_order {
	const struct run *run;
	const struct request *request;
	int earlier;		/* of seconds=N: file with a copy of the state then; -1: none */
	uint64_t elapsed_ns;	/* ... which was so long ago */
	const struct push_counts *pushes; /* NULL: nothing is pushed */
	bool no_names_cache;
};

/* answer_keep -- Copies the state to the file `earlier`, which is empty, for an answer_write()
 * later. A worker_fn; DATA is a struct answer_order. */
enum worker_result answer_keep(FILE *out, void *data);

/* answer_write -- Writes the answer. A worker_fn; DATA is a struct answer_order. */
enum worker_result answer_write(FILE *out, void *data);

/* answer_type -- Returns the media type of the answer. */
const char *answer_type(const struct request *r);
