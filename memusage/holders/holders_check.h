/* holders_check.h -- Examines a process: what holds its live blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/examination.h"
#include "recording/holders.h"

struct holders_check_options {
	uint32_t flags; /* of the result: MU_HOLDERS_AT_END, MU_HOLDERS_ON_DEMAND */
};

/* holders_check -- Takes struct holders_check_options; its result is a struct mu_holders. */
extern const struct examination holders_check;
