/* contact.h -- find whoever records a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REMOTE_CONTACT_H
#define MEMUSAGE_REMOTE_CONTACT_H

#include <sys/types.h>

#include "memusage/common/control_wire.h"
#include "memusage/record/live.h"

enum contact_status {
	CONTACT_OK,
	CONTACT_NOT_RECORDED, /* nobody records it, or nobody who answers us */
	CONTACT_BUSY,	      /* another client works on it */
	CONTACT_DENIED,	      /* it is another user's */
	CONTACT_NO_IMAGE,     /* it is not recorded right now */
	CONTACT_ORPHANED,     /* its collector is gone */
	CONTACT_SILENT,	      /* a collector, which may be its, did not answer in time */
	CONTACT_BROKEN	      /* a message has been printed */
};

/* Arenas that a process may have mapped. */
enum { CONTACT_ORPHANS = 4 };

struct contact {
	struct live live;
	struct control_answer answer;	/* of the collector; text is empty if there is none */
	int connection;			/* -1: none */
	int arena;			/* what it handed out, not mapped yet; -1: nothing */
	int orphan[CONTACT_ORPHANS];	/* memory whose collector may be gone */
	unsigned int orphans;
	int file;			/* of a library that works alone, or of an orphan, locked;
					 * -1: none */
};

/* What contact_query() and contact_open() begin with. */
#define CONTACT_CLOSED ((struct contact){ .connection = -1, .arena = -1, .file = -1 })

/* contact_query -- ask the collectors of our own user for process PID.
 *
 * flags  enum control_flag.
 * Nothing is read but their answers, and what the kernel says of the process. Nothing is mapped,
 * and no file is opened by a name. What only root may open of the process is opened. If the result
 * is OK contact_open() of the same contact maps what was found; else it goes on to look.
 */
enum contact_status contact_query(struct contact *c, pid_t pid, unsigned int flags);

/* contact_open -- find the recording of process PID and map it.
 *
 * flags  enum control_flag.
 * Who answers is of our user, so that has to be the process's owner, or have been when
 * contact_query() found it. On anything but OK and BUSY nothing is left open.
 */
enum contact_status contact_open(struct contact *c, pid_t pid, unsigned int flags);

/* contact_close -- others may talk to the process now. */
void contact_close(struct contact *c);

#endif
