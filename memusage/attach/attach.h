/* attach.h -- Recording a process that runs already, and leaving it as it was.
 *
 * All threads of the process are stopped for some milliseconds, twice. Nothing of it is called, no
 * signal is sent to it, and it is of no importance which locks its threads hold.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/attach/code.h"
#include "memusage/record/arena.h"
#include "profile/base/error.h"

/* The blocks that the process had before. */
struct attachment_before {
	enum mu_before kind;
	uint64_t blocks, bytes;
	unsigned int mapped_header; /* as in struct glibc_heap */
	uint64_t ns;		/* that it took to count them, while the process stood */
	unsigned int release;	/* of glibc, 0: they cannot be counted */
	unsigned int tries;	/* in which they were being changed */
	char why[512];	/* they are not known, or not exactly */
};

struct attachment {
	pid_t pid;
	uint64_t parameters, size; /* address in the process of what is mapped there, and bytes */
	uint64_t blob;		   /* address of the library in that */
	uint64_t own; /* address of the list of the recorder's mappings */
	ino_t file;   /* its memory file, which its forked children have mapped, too */
	struct code code;
	uint64_t pause_ns;	/* how long its threads stood: of the last stop */
	unsigned int tries;	/* how often it had to be stopped */
	unsigned int threads;	/* at the last stop */
	struct attachment_before before;
	struct mu_error err;
	pid_t attacher;		/* the process that records; 0: another one did */
	pid_t left;		/* a process that still has the recorder after all; 0 none */
	bool is_adopted;	/* another attacher has put it there, ... */
	bool is_ordered;	/* ... which is to end even if it may live where we cannot see it */
};

/* attach_begin_recording -- Puts the recorder into a process.
 *
 * library  path of libmemusage_attach.so.
 * watch    conditions of snapshots, MU_WATCHES of them, for the segment.
 * arena    receives the memory that the process records into, with the image in slot 0.
 * Returns the attachment, which attach_free() releases, or NULL with ERR: the process is then as it
 * was. Costs 20 to 100 ms, most of which is not a pause of the process.
 */
struct attachment *attach_begin_recording(pid_t pid, const char *library,
					  const struct mu_config *config, const void *watch,
					  struct arena *arena, struct mu_error *err);

/* attach_is_there -- Tells whether the process still has the recorder, and not another program.
 *
 * memory  of attach_open_memory(). Cost one system call.
 */
bool attach_is_there(const struct attachment *a, int memory);

/* attach_open_memory -- Returns a descriptor for attach_is_there(), or -1. */
int attach_open_memory(const struct attachment *a);

/* attach_end_recording -- Takes the recorder away from the process, and from its forked children.
 *
 * Tries for some seconds where that is not possible yet, as while one is inside the recorder.
 * Returns true if they all are as they were. Else A->left is the first that is not, and A->err says
 * why. Calls of malloc may still lead through what stays, as in a process that another
 * program traces: then the caller stops its recording.
 */
bool attach_end_recording(struct attachment *a);

/* attach_free -- Releases A; NULL is accepted. */
void attach_free(struct attachment *a);
