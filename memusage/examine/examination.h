/* examination.h -- A process of our own that examines another one, and leaves its result in a file.
 *
 * It is one of its own because what it does must be over when it ends: the kernel then lets go of
 * each thread that it has stopped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"

/* The differences between one examination and another. */
struct examination {
	const char *file_name; /* of the nameless file for its result, as /proc shows it */
	const char *unfinished; /* the text of the error of one that left nothing in its file */
	uint64_t least, most;	/* bytes of a result */

	/* examine -- Makes the result, in the process that examines. Returns it, to be freed, or
	 * NULL with ERR. */
	void *(*examine)(struct snapshot *s, const void *options, struct mu_error *err);

	/* count_bytes -- Returns the bytes of a result, of which the first LEAST are there. */
	uint64_t (*count_bytes)(const void *result);
};

enum examination_more {
	EXAMINATION_COMPLETE,
	EXAMINATION_BUSY,   /* the process is in the middle of a change: one more snapshot */
	EXAMINATION_TRACED, /* another process traces it, or did just now: likewise */
	EXAMINATION_REFUSED /* with ERR */
};

/* Adds blocks to a snapshot that the recording does not have. */
typedef enum examination_more examination_more_fn(struct snapshot *s, struct mu_error *err);

/* The subject of one: a process that is recorded in L, in our PID namespace. */
struct examined_process {
	const struct live *live;
	pid_t pid;
	enum snapshot_kind snapshot;
	examination_more_fn *add_blocks; /* NULL: there are none */
	const struct tracee_right *right; /* NULL: whatever the kernel lets us trace */
};

/* examination_open_file -- Returns the descriptor of a new, empty file for the result of E, or -1
 * with errno. */
int examination_open_file(const struct examination *e);

/* examination_start -- Starts the process that examines P.
 *
 * options  are passed on.
 * fd       an empty file for the result, or the reason of a failure; see examination_read().
 * Returns its process ID, or -1 with errno.
 */
pid_t examination_start(const struct examination *e, const struct examined_process *p,
			const void *options, int fd);

/* examination_has_outcome -- Returns whether it has left something in its file: it ends now, or it
 * has given up and cannot be killed, as the kernel waits for a page in it. */
bool examination_has_outcome(int fd);

/* examination_read -- Reads what that process has left in its file when it has ended.
 *
 * Returns the result as it is in a recording, to be freed, or NULL with ERR: MU_ERROR_DENIED if
 * another process may be allowed to examine it.
 */
void *examination_read(const struct examination *e, int fd, struct mu_error *err);

/* examination_run -- Does all of this, and waits meanwhile. Returns as examination_read(). */
void *examination_run(const struct examination *e, const struct examined_process *p,
		      const void *options, struct mu_error *err);
