/* session.h -- The files, sockets and memory of a run, which launcher and collector share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/common/chroots.h"
#include "memusage/common/library.h"
#include "memusage/options/settings.h"
#include "memusage/record/arena.h"
#include "memusage/record/datafiles.h"
#include "memusage/record/endpoint.h"
#include "memusage/record/recordfile.h"

/* The examinations of a process before the recorder is taken away from it. */
enum session_check { SESSION_LEAKS, SESSION_PAGES, SESSION_HOLDERS, SESSION_CHECKS };

/* The launcher makes it before it forks, so that it can report every failure to the user. */
struct session {
	const struct settings *settings;
	char *program; /* file to execute */
	struct library library;
	struct arena arena;
	struct endpoint endpoint;
	struct datafiles files;
	struct recordfile record;
	struct chroots chroots; /* root directories of processes in a chroot */
	int report;		/* descriptor for the report, -1 none */
	int text;		/* descriptor for the reports that follow it, -1 none */
	bool color;
	int wire;	  /* this side of the socket pair */
	pid_t killed;	  /* the collector that this one replaces, 0: none */
	int killed_by;	  /* the signal that killed it */
	int ended_images; /* descriptor of the results of ended images: ended_images.h */
	int judged;	  /* descriptor of the recording that conditions judge, if that is not the
			   * kept one; -1 none: tree_running.h */
	int left_check[SESSION_CHECKS]; /* descriptors, -1 none: left_checks.h */
};
