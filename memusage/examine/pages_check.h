/* pages_check.h -- Examines a process: what its resident memory is for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/examination.h"
#include "recording/pages.h"

struct pages_check_options {
	bool is_at_end; /* the process waits before it ends */
};

/* pages_check -- Takes struct pages_check_options; its result is a struct mu_pages. */
extern const struct examination pages_check;
