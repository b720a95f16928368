/* recorded.h -- Which parts of a run are recorded, if it began asleep; docs/format.md, section 2.6.
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
	uint32_t reserved[7];
};
