/* contact.h -- find whoever records a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_CONTACT_H
#define MEMUSAGE_CONTACT_H

#include <sys/types.h>

#include "memusage/control_wire.h"
#include "memusage/live.h"

enum contact_status {
	CONTACT_OK,
	CONTACT_NOBODY,		/* nobody records it, or nobody who answers us */
	CONTACT_BUSY,		/* another client works on it */
	CONTACT_DENIED,		/* it is another user's */
	CONTACT_NO_IMAGE,	/* it is not recorded right now */
	CONTACT_DEAD,		/* its collector is gone */
	CONTACT_SILENT,		/* a collector, which may be its, did not answer in time */
	CONTACT_BROKEN		/* a message has been printed */
};

struct contact {
	struct live live;
	struct control_answer answer;	/* of the collector; text is empty if there is none */
	int connection;			/* -1: none */
	int file;			/* of a library that works alone, locked; -1: none */
};

/* contact_open -- find the recording of process PID and map it.
 *
 * flags  enum control_flag.
 * On anything but OK nothing is left open.
 */
enum contact_status contact_open(struct contact *c, pid_t pid, unsigned int flags);

/* contact_close -- others may talk to the process now. */
void contact_close(struct contact *c);

#endif
