/* live.h -- an image that a process is recording into right now, seen from another process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_LIVE_H
#define MEMUSAGE_RECORD_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/segment.h"
#include "recording/recording.h"

struct live {
	struct segment view;
	struct mu_image *shared;	/* where the recorder writes; hostile */
	uint32_t slot;
	uint32_t generation;
	uint64_t mapped;		/* bytes mapped by live_open() */
	bool is_final;			/* nothing changes any more: it is there, in any state */
};

/* live_is_sealed -- whether FD is of memory that nobody can make smaller or larger.
 *
 * What is mapped of any other file can be taken away while it is read.
 * Source  fcntl(2), "File sealing".
 */
bool live_is_sealed(int fd);

/* live_open -- map the arena or file of descriptor FD, which may be closed afterwards.
 *
 * slot, generation  of the image.
 * Returns 0, or -1 with ERR; live_close() in any case.
 */
int live_open(struct live *l, int fd, uint32_t slot, uint32_t generation, struct mu_error *err);

/* live_select -- go over to another image of the same arena. Returns 0, or -1 with ERR. */
int live_select(struct live *l, uint32_t slot, uint32_t generation, struct mu_error *err);

/* live_from_view -- the same of a segment that is mapped already; nothing is to be closed. */
void live_from_view(struct live *l, const struct segment *view, uint32_t slot, uint32_t generation);

/* live_close -- unmap it. Fine for a zeroed struct, and twice. */
void live_close(struct live *l);

/* live_is_current -- whether the slot still holds the image that it held at live_open(). */
bool live_is_current(const struct live *l);

/* live_image -- its state now, as far as it is to be believed. Returns 0, or -1 with ERR. */
int live_image(const struct live *l, struct image *im, struct mu_error *err);

/* live_mark_pending -- knock at every thread that is outside the hook. Returns whether all are. */
bool live_mark_pending(const struct live *l);

/* What became of a request. */
enum live_result {
	LIVE_SERVED,	/* the process has done it */
	LIVE_IDLE,	/* the process does nothing: it will do it before its next event */
	LIVE_STUCK	/* some thread has been inside the recorder all the time */
};

/* live_request -- put a request to the process, and wait until it is clear what becomes of it.
 *
 * One client at a time. A process that has events answers within a fraction of a millisecond;
 * that one is idle is known after some; stuck, after half a second.
 */
enum live_result live_request(struct live *l, enum mu_request request);

/* live_is_quiet -- whether no thread has had an event since all were knocked at, or LIVE_IDLE. */
bool live_is_quiet(const struct live *l);

/* live_withdraw -- take the request back. Returns false if it has been served meanwhile. */
bool live_withdraw(struct live *l, enum mu_request request);

#endif
