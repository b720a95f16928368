/* collector.h -- the process that owns the recordings of a tree and writes what they become.
 *
 * It is made before the program runs, in a session of its own, and lives as long as a process
 * of the tree does. While the program only counts it sleeps: it wakes when an image announces
 * itself, when a process forks and when one ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_COLLECTOR_H
#define MEMUSAGE_COLLECTOR_COLLECTOR_H

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
	char *program;		/* file to execute */
	struct library library;
	struct arena arena;
	struct endpoint endpoint;
	struct datafiles files;
	struct recordfile record;
	struct roots roots;	/* of processes in a chroot */
	int report;		/* where the report goes, -1 nowhere */
	int text;		/* likewise the reports that follow it */
	bool color;
	int wire;		/* this side of the socket pair */
	pid_t killed;		/* the collector that this one takes the place of, 0: none */
	int killed_by;		/* the signal it died of */
	int spill;		/* results of images that have ended: ended_images.h */
};

/* collector_run -- be the collector.
 *
 * s  as made by the launcher, s->wire being the collector's side.
 * Returns when no process of the tree is left, or after SIGTERM; everything is written then.
 */
void collector_run(struct session *s);

#endif
