/* session.h -- What the launcher makes for a run and the collector works with.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_SESSION_H
#define MEMUSAGE_RECORD_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/common/chroots.h"
#include "memusage/common/library.h"
#include "memusage/options/settings.h"
#include "memusage/record/arena.h"
#include "memusage/record/datafiles.h"
#include "memusage/record/endpoint.h"
#include "memusage/record/recordfile.h"

/* What is made before the forks, so that every failure can still be told to the user. */
struct session {
	const struct settings *settings;
	char *program; /* file to execute */
	struct library library;
	struct arena arena;
	struct endpoint endpoint;
	struct datafiles files;
	struct recordfile record;
	struct chroots chroots; /* of processes in a chroot */
	int report;		/* where the report goes, -1 nowhere */
	int text;		/* likewise the reports that follow it */
	bool color;
	int wire;	  /* this side of the socket pair */
	pid_t killed;	  /* the collector that this one takes the place of, 0: none */
	int killed_by;	  /* the signal it died of */
	int ended_images; /* results of images that have ended: ended_images.h */
};

#endif
