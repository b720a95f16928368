/* leak_check.h -- Examines a process: which of its blocks are lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/examination.h"
#include "profile/graph/lost_watch.h"
#include "recording/leaks.h"

struct leak_check_options {
	unsigned int heuristics; /* bits of LEAK_HEURISTIC_BIT() */
	bool lists_blocks;	 /* with a list of all blocks in place of the losses */
	const struct lost_watch *watch; /* of earlier checks; NULL: none */
};

/* leak_check -- Takes struct leak_check_options; its result is a struct mu_leak_check,
 * perhaps with MU_LEAK_CHECK_WATCH. */
extern const struct examination leak_check;
