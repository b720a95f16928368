/* quiet.h -- what the C library copies for our own calls is no copy of the program's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_BASE_QUIET_H
#define LIBMEMUSAGE_BASE_QUIET_H

#include <stdint.h>

/* Not 0 while the calling thread is in a real realloc, whose copy DHAT does not count. */
extern __thread uint32_t copies_quiet;

#endif
