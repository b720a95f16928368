/* end.h -- How an image of a recording ended; docs/format.md, section 2.5.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* How an image ended, in mu_image.end. Those without a status have end_status 0. */
enum mu_end {
	MU_END_UNKNOWN = 0,   /* mu_process.exit alone is known */
	MU_END_EXIT = 1,      /* by exit or a return from main; end_status: the exit status */
	MU_END_IMMEDIATE = 2, /* by _exit; likewise */
	MU_END_STATUS = 3,    /* without exit handlers, by a call that was not seen; likewise */
	MU_END_SIGNAL = 4,    /* killed; end_status: the signal's number */
	MU_END_EXEC = 5,      /* the process executed another program */
	MU_END_RUNNING = 6    /* it did not: the collector ended first, or copied it before */
};
#define MU_END_STATUS_UNKNOWN UINT32_MAX /* end_status of those that have one */

/* A child that the process has reaped. */
struct mu_reaped {
	uint64_t mono_ns;	/* when; written last, so 0 while the entry changes */
	uint32_t pid;		/* as the process sees it */
	uint32_t status;	/* as wait() gives it: it has exited, or was killed */
};

enum { MU_REAPED = 64 };

/* The last children of a process; number N is at N % MU_REAPED. */
struct mu_reaped_children {
	uint32_t count;
	uint32_t reserved;
	struct mu_reaped child[MU_REAPED];
};
