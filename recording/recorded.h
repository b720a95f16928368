/* recorded.h -- Which parts of a run are recorded, and what a report must say of it;
 * docs/format.md, section 2.6.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* In mu_image, with MU_CFG_START_PAUSED. When the parts began and ended is in the marks. */
struct mu_recorded {
	uint32_t awake;		   /* 0: the process is asleep, and looks for no request. A client
				    * stores the serial of its MU_REQUEST_START, after that */
	uint32_t starts;	   /* how often recording began or was resumed */
	uint32_t sample_log2;	   /* of a client, for MU_REQUEST_START: 2^n bytes between two
				    * sampled blocks, 0: as before */
	uint32_t sample_is_fixed;  /* ... and whether that number stays */
	uint64_t earlier_frees;	   /* frees of blocks that are not known: from before the start, */
	uint64_t earlier_reallocs; /* or from a pause; ... and reallocs */
	uint32_t began_asleep;	   /* 1: the process itself, or the one that it was forked from */
	uint32_t before;	   /* enum mu_before: what is known of the blocks that a process had
				    * when memusage attached to it */
	uint64_t before_blocks;	   /* how many these were; 0 with MU_BEFORE_AT_MOST */
	uint64_t before_bytes;	   /* ... and their usable bytes */
	uint64_t before_gone;	   /* bytes of them that were freed or reallocated since; they are
				    * as many blocks as earlier_frees and earlier_reallocs say */
};

enum mu_before {
	MU_BEFORE_UNKNOWN = 0,
	MU_BEFORE_KNOWN = 1,
	MU_BEFORE_AT_MOST = 2, /* only bytes, with free ones between blocks */
	MU_BEFORE_APART = 3    /* as KNOWN, but in no sum: samples do not tell what is freed */
};

/* Things a report must say; bits of mu_image.notes. */
enum mu_note {
	MU_NOTE_FOREIGN_MALLOC = 1u << 0, /* the program calls another malloc: unseen_malloc */
	MU_NOTE_SIGPROF_TAKEN = 1u << 1,  /* no stack sampling: the program uses SIGPROF */
	MU_NOTE_RAW_CLONE = 1u << 2,	  /* began by a fork that libc did not see: no history */
	MU_NOTE_SMALL_ARENA = 1u << 3,	  /* address space limit: arena smaller than a slot */
	MU_NOTE_ARENA_FULL = 1u << 4,
	MU_NOTE_DEEPBIND = 1u << 5, /* an object was opened with RTLD_DEEPBIND: unseen_malloc */
	MU_NOTE_NAMESPACE = 1u << 6, /* an object was opened in another namespace (dlmopen) */
	MU_NOTE_HISTORY = 1u << 7,   /* counts include those of the parent before the fork */
	MU_NOTE_SYMBOLIC = 1u << 8,  /* an object binds its own malloc (-Bsymbolic) */
	MU_NOTE_OWN_MALLOC = 1u << 9, /* unseen_malloc's malloc was intercepted */
	MU_NOTE_SIGNAL_IGNORED = 1u << 10, /* the program ignores the signal for snapshots */
	MU_NOTE_NO_REQUESTS = 1u << 20,	  /* code cannot be changed: macros are not served */
	MU_NOTE_LATE_REQUESTS = 1u << 21, /* ... in objects that are loaded later */
	MU_NOTE_NO_HOOKS = 1u << 24, /* nothing was built with the hooks that count accesses */
	MU_NOTE_EMULATED = 1u << 25, /* accesses were counted by the emulator */
	MU_NOTE_PAGES = 1u << 28, /* the heap is pages that are mapped (MU_CFG_PAGES) */
	MU_NOTE_PAGES_ALONE = 1u << 27, /* libc's own mappings are not seen */
	MU_NOTE_COUNTED_AGAIN = 1u << 30, /* of a merge: children have their parents' blocks, too */
	MU_NOTE_ATTACHED = 1u << 29, /* it ran before memusage came: blocks from then are unknown */
	MU_NOTE_COPIES = 1u << 26    /* copies were recorded, not who allocates */
};
