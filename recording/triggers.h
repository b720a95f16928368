/* triggers.h -- Automatic snapshots: by a signal, or at a threshold.
 *
 * docs/format.md, section 8.1. SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "recording/recording.h"

/* The quantity of a condition; the upper bits of a word of mu_segment.watch. The recorder watches
 * the first three at every event, the collector the others whenever it looks at the process. */
enum mu_watch {
	MU_WATCH_NONE = 0,
	MU_WATCH_HEAP = 1,	/* useful bytes */
	MU_WATCH_TOTAL = 2,	/* useful and extra bytes and stacks */
	MU_WATCH_STACKS = 3,	/* with MU_CFG_STACK_BYTES */
	MU_WATCH_RSS = 4,	/* resident bytes, without the recorder's own */
	MU_WATCH_BLOCKS = 5,	/* live blocks */
	MU_WATCH_CGROUP = 6	/* percent of the memory limit of the control group */
};

/* A condition is met when its quantity exceeds the threshold. It can be met again after the
 * quantity was at most MU_WATCH_AGAIN(). */
#define MU_WATCH_WORD(kind, threshold) ((uint64_t)(kind) << 60 | (threshold))
#define MU_WATCH_KIND(word) ((unsigned int)((word) >> 60))
#define MU_WATCH_THRESHOLD(word) ((int64_t)((word) & ((UINT64_C(1) << 60) - 1)))
#define MU_WATCH_AGAIN(threshold) ((threshold) - (threshold) / 10)

#define MU_TRIGGERS 8u /* snapshots that can wait for the collector */
#define MU_TRIGGER_SIGNAL (UINT32_C(1) << 31)

struct mu_trigger {
	struct mu_snapshot snapshot;
	uint32_t why;	   /* bit i: condition i of mu_segment.watch; MU_TRIGGER_SIGNAL */
	uint32_t capacity; /* of the array of values, which stays with the entry */
	uint64_t room;
};

/* At mu_image.triggers. Entry n is at n modulo MU_TRIGGERS. The recorder fills it in and then
 * increments `taken`, while that is less than MU_TRIGGERS ahead of `done`, the collector's
 * count. */
struct mu_triggers {
	uint32_t taken;
	uint32_t done;
	uint32_t signals; /* that came when no snapshot could be taken: the collector takes it */
	uint32_t wanted;  /* conditions met with too many cells: the collector adds them up */
	struct mu_trigger entry[MU_TRIGGERS];
};
