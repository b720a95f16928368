/* next_strdup.h -- the strdup and strndup behind the interposed ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "libmemusage/base/export.h"

/* next_strdup, next_strndup -- call the next function in search order, and record the copy unless
 * malloc has recorded it.
 *
 * sp  hook_sp() of the interposed function.
 * Returns the copy, which is the caller's to free; NULL without memory.
 */
HIDDEN char *next_strdup(const char *text, uint64_t sp);
HIDDEN char *next_strndup(const char *text, size_t length, uint64_t sp);
