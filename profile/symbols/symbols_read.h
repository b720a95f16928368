/* symbols_read.h -- Reads the names of one module from its files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/symbols/symbols_job.h"

/* symbols_read -- Looks up the requests of one module.
 *
 * Calls found() at most once per request. Returns the state of the module. May crash or hang if the
 * file is bad enough.
 */
enum symbols_state symbols_read(const struct symbols_job *job);
