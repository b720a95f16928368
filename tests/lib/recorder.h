/* recorder.h -- an image in private memory, for unit tests of the recorder's modules.
 *
 * The test includes this once. The recorder's own constructor runs before main and must not
 * begin to record the test: it finds a collector that is not there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdlib.h>
#include <sys/mman.h>

#include "libmemusage/image/recorder.h"
#include "libmemusage/image/slot.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/image.h"
#include "libmemusage/lifecycle/threads.h"
#include "tests/lib/tap.h"

__attribute__((constructor(101))) static void stay_away(void)
{
	setenv("MEMUSAGE_COLLECTOR", "1:nobody:", 1);
}

/* recorder_image -- begin a new image that can grow to CAPACITY bytes.
 *
 * flags  enum mu_config_flag. The calling thread gets a record. The image before is left
 * alone: it stays mapped.
 */
__attribute__((unused)) static void recorder_image(uint64_t capacity, uint32_t flags)
{
	uint64_t size = 2 * MU_PAGE + capacity;
	uint8_t *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct mu_segment *segment = (struct mu_segment *)memory;
	struct slot slot = { .capacity = capacity,
			     .base = memory + 2 * MU_PAGE,
			     .segment = segment };

	if (memory == MAP_FAILED)
		skip_all("no memory for an image");
	segment->version = MU_VERSION;
	segment->slot_count = 1;
	segment->slot_table = MU_PAGE;
	segment->slots = 2 * MU_PAGE;
	segment->slot_size = capacity;
	segment->size = size;
	rec.flags = flags;
	rec.log_limit = capacity;
	gate.mode = 0;
	self = &no_thread;
	if (!image_begin(&slot) || !thread_attach(NULL)) {
		OK(false, "an image begins, and a thread is in it");
		exit(done_testing());
	}
	rec.state = STATE_ON;
}

/* test_random -- the next of a row of random numbers that is the same every time. */
__attribute__((unused)) static uint64_t test_random(uint64_t *state)
{
	uint64_t x = *state ? *state : 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}
