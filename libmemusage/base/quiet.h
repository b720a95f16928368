/* quiet.h -- copies that the C library makes for the recorder's own calls are not counted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/base/export.h"

/* Not 0 while the calling thread is in a real realloc, whose copy DHAT does not count. */
extern HIDDEN __thread uint32_t copies_quiet;
