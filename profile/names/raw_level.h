/* raw_level.h -- One line of a call stack as it was found: struct symbols_level with its texts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

enum { RAW_LEVELS_MAX = 256 };	/* at one address: a function and the calls inlined into it */

/* NULL: unknown. */
struct raw_level {
	const char *name;
	const char *full;
	const char *file;
	uint32_t base;
	uint32_t line;
};
