/* remote_census.h -- The command census of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* remote_census_run -- Counts the blocks of any process, and prints or keeps that.
 *
 * It needs no recording. Returns 0, or -1 after a message.
 */
int remote_census_run(struct remote *r);
