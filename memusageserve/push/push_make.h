/* push_make.h -- Makes the message of a push, in a worker.
 *
 * The output of the worker is a struct push_made, the message, and the state for the next one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/push/push_encode.h"
#include "memusageserve/source/run.h"
#include "memusageserve/source/worker.h"

enum { PUSH_SERVICE = 128, PUSH_SAMPLES_MAX = 16000, PUSH_BYTES_MAX = 4 << 20 };

/* Everything is borrowed. */
struct push_order {
	const struct run *run;
	bool is_otlp;
	bool no_names_cache;
	const char *service;		/* NULL: the name of the first program */
	const struct push_text *label;
	size_t labels;
	int earlier;			/* output of the worker before; -1: none */
	int recording;			/* file to which images are added that have ended; -1:
					 * none */
	bool is_last;			/* the run is over: nothing lives */
	uint64_t since_ns;		/* without one: CLOCK_MONOTONIC; what began before has
					 * allocated nothing that counts */
};

struct push_made {
	uint64_t message;		/* bytes */
	uint64_t alloc_bytes;		/* allocated since the push before */
	uint32_t samples;
	uint32_t merged;		/* places in the sample of others */
	char service[PUSH_SERVICE];
};

/* push_make -- Writes the message. A worker_fn; DATA is a struct push_order. */
enum worker_result push_make(FILE *out, void *data);
