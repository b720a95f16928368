/* pointer_search.h -- Examines a process: what points into a range of its memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/examination.h"
#include "recording/leaks.h"

struct pointer_search_options {
	uint64_t start, size; /* the range; of size 1: pointers to START alone */
};

/* pointer_search -- Takes struct pointer_search_options; its result is a struct mu_leak_check with
 * MU_LEAK_LIST_POINTERS. */
extern const struct examination pointer_search;
