/* live.h -- An image into which a process is recording, seen from another process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/segment.h"
#include "recording/recording.h"

struct live {
	struct segment view;
	struct mu_image *shared; /* the recorder's memory; untrusted */
	uint32_t slot;
	uint32_t generation;
	uint64_t mapped;		/* bytes mapped by live_open() */
	bool is_final;			/* the image does not change any more and is current in any
					 * state */
};

/* live_is_sealed -- Tells whether FD is memory that cannot be resized.
 *
 * Any other file can be truncated while its mapping is read.
 * Source  fcntl(2), "File sealing".
 */
bool live_is_sealed(int fd);

/* live_open -- Maps the arena or file of descriptor FD, which may be closed afterwards.
 *
 * slot, generation  of the image.
 * Returns 0, or -1 with ERR; call live_close() in either case.
 */
int live_open(struct live *l, int fd, uint32_t slot, uint32_t generation, struct mu_error *err);

/* live_select -- Selects another image of the same arena. Returns 0, or -1 with ERR. */
int live_select(struct live *l, uint32_t slot, uint32_t generation, struct mu_error *err);

/* live_from_view -- Selects an image of a segment that is mapped already; it needs no
 * live_close(). */
void live_from_view(struct live *l, const struct segment *view, uint32_t slot, uint32_t generation);

/* live_close -- Unmaps the memory. L may be zeroed, and closed twice. */
void live_close(struct live *l);

/* live_is_current -- Tells whether the slot still holds the image of live_open(). */
bool live_is_current(const struct live *l);

/* live_image -- Reads the valid part of its current state. Returns 0, or -1 with ERR. */
int live_image(const struct live *l, struct image *im, struct mu_error *err);

/* live_bytes_moved -- Returns the bytes that were ever allocated or freed.
 *
 * im  whose header was copied just now. If two sums differ, so may the values read between them.
 * Cost O(threads).
 */
uint64_t live_bytes_moved(const struct image *im);

/* live_set_pending -- Sets the pending flag of every thread that is outside the recorder. Returns
 * whether all threads have it. */
bool live_set_pending(const struct live *l);

/* The outcome of a request. */
enum live_result {
	LIVE_SERVED, /* the process has served it */
	LIVE_IDLE,   /* the process is idle: it will serve it before its next event */
	LIVE_STUCK   /* some thread was inside the recorder all the time */
};

/* live_request -- Sends a request to the process, and waits until its outcome is known.
 *
 * Serves one client at a time. A process that has events answers within a fraction of a
 * millisecond; that it is idle is known after a few milliseconds, that it is stuck after half a
 * second.
 */
enum live_result live_request(struct live *l, enum mu_request request);

/* live_is_asleep -- Tells whether the process serves only MU_REQUEST_START, because it began
 * asleep and has never been started. */
bool live_is_asleep(const struct live *l);

/* live_is_quiet -- Tells whether no thread has had an event since live_set_pending() or
 * LIVE_IDLE. */
bool live_is_quiet(const struct live *l);

/* live_withdraw -- Withdraws the request. Returns false if the process has served it meanwhile. */
bool live_withdraw(struct live *l, enum mu_request request);
