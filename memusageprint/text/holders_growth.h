/* holders_growth.h -- What holds more of the heap than at an earlier moment, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/text/holders_parts.h"

/* holders_put_growth -- Prints what retains more at the moment of the report than at the first one
 * that was examined, with the way to the blocks; nothing if that is the same moment.
 *
 * start_ns  when the process started, on CLOCK_MONOTONIC.
 */
void holders_put_growth(FILE *out, const struct holders_report *r, uint64_t start_ns);
