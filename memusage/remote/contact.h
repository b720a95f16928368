/* contact.h -- Find the collector that records a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/common/control_wire.h"
#include "memusage/record/live.h"
#include "memusage/remote/mapped_recordings.h"

enum contact_status {
	CONTACT_OK,
	CONTACT_NOT_RECORDED, /* no collector that answers us records it */
	CONTACT_BUSY,	      /* another client works on it */
	CONTACT_DENIED,	      /* it belongs to another user */
	CONTACT_NO_IMAGE,     /* it has no image now */
	CONTACT_ORPHANED,     /* its collector is gone */
	CONTACT_SILENT,	      /* a collector that might record it did not answer in time */
	CONTACT_BROKEN	      /* a message has been printed */
};

struct contact {
	struct live live;
	struct control_answer answer;	/* of the collector; text is empty without one */
	int connection;			/* -1: none */
	int arena;			/* the collector's arena, not mapped yet; -1: none */
	int samples;			/* the collector's file of struct control_samples, if
					 * CONTROL_SAMPLES was asked for; -1: none */
	int checks;			/* ... its file of asked_checks.h, if CONTROL_CHECKS was */
	int holders;			/* ... that of asked_holders.h, if CONTROL_HOLDERS was */
	uint32_t arena_number;		/* which arena of the run, with CONTROL_RUN */
	int orphan[CONTACT_ORPHANS];	/* memory whose collector may be gone */
	unsigned int orphans;
	int file; /* locked file of a library without memusage, or of an
					 * orphan; -1: none */
};

/* The initial value for contact_query() and contact_open(). */
#define CONTACT_CLOSED \
	((struct contact){ .connection = -1, .arena = -1, .samples = -1, .checks = -1, \
			   .holders = -1, .file = -1 })

/* contact_query -- Asks the collectors of our own user for process PID.
 *
 * flags  enum control_flag.
 * Reads nothing but their answers and the kernel's data on the process. Maps nothing, and opens no
 * file by a name, but opens the memory that only root may open. If the result is OK, contact_open()
 * of the same contact maps what was found; otherwise it continues the search.
 */
enum contact_status contact_query(struct contact *c, pid_t pid, unsigned int flags);

/* contact_open -- Finds the recording of process PID and maps it.
 *
 * flags  enum control_flag.
 * Only our own user's answers count, so our user must own the process now, or must have owned it in
 * contact_query(). Unless the result is OK or BUSY, nothing is left open.
 */
enum contact_status contact_open(struct contact *c, pid_t pid, unsigned int flags);

/* contact_open_next -- Maps the next arena of the run in place of this one.
 *
 * c          opened with CONTROL_RUN, for COLLECTOR.
 * flags      enum control_flag.
 * Asks this collector alone: the others, of which one may be stopped, have no arena of its run.
 * Returns NOT_RECORDED after the last one. Unless the result is OK, nothing is left open.
 */
enum contact_status contact_open_next(struct contact *c, pid_t collector, unsigned int flags);

/* contact_ask_samples -- Asks the collectors of our own user for the samples of process PID.
 *
 * Returns a file of struct control_samples that the caller closes, or -1 if there is none.
 */
int contact_ask_samples(pid_t pid);

/* contact_ask_examination -- Asks the collector that has answered to examine process PID.
 *
 * Waits until it is done.
 * c       opened, without CONTROL_RUN.
 * x       what to examine; its question is filled in.
 * status  receives why there is no file. BUSY: ask again later; UNKNOWN or NO_IMAGE: the process
 *         has ended, or executes another program; else DENIED: there is no collector, it cannot
 *         examine the process, or it does not answer in time.
 * Returns the file with the result, which the caller closes: see examination_read(); or -1.
 */
int contact_ask_examination(const struct contact *c, pid_t pid, struct control_examination *x,
			    enum control_status *status);

/* contact_close -- Closes everything, so that other clients may use the process. */
void contact_close(struct contact *c);
