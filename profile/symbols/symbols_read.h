/* symbols_read.h -- read the names of one module; the part of symbols.c that touches files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_SYMBOLS_SYMBOLS_READ_H
#define PROFILE_SYMBOLS_SYMBOLS_READ_H

#include "profile/symbols/symbols_job.h"

/* symbols_read -- look up the requests of one module.
 *
 * Calls found() at most once per request. Returns what is to be said of the module. May not
 * return at all, if the file is bad enough.
 */
enum symbols_state symbols_read(const struct symbols_job *job);

#endif
