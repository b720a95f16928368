/* attached_state.h -- what libmemusage_attach.so knows of itself and of each thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/base/export.h"
#include "recording/attach.h"

/* The state of a thread, in the part of its structure that glibc leaves unused. glibc does not
 * clear that for a new thread on a used stack, and a forked child has its parent's: so the key says
 * whose it is. x86_64/patch_entry.S relies on the layout. */
struct attached_thread {
	uint64_t key;	 /* generation | ID of the thread */
	uint32_t inside; /* calls through a thunk that are under way */
};

struct attached {
	uint64_t generation; /* first: x86_64/patch_entry.S */
	struct mu_attach *attach; /* while the recorder begins */
	uint32_t pid;		  /* of the process that it was put into */
	uint64_t auxv[2 * MU_ATTACH_WORDS];
};

extern HIDDEN struct attached attached;
extern HIDDEN __thread struct attached_thread attached_thread;
