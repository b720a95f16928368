/* symbols_child.h -- Runs symbols_read() in a process of its own, with limits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/symbols/symbols_job.h"

/* symbols_child_run -- Does COUNT jobs in a child process, or in several, one after another.
 *
 * job     all with the same options, found() and data.
 * state   called once per job, after its last found().
 * A job that kills its child, or takes too long, is SYMBOLS_FAILED; a new child continues with the
 * next one. The messages of a child are checked: a file that it read may have taken it over.
 * Returns 0, or -1 with ERR if no child could be made.
 */
int symbols_child_run(const struct symbols_job *job, size_t count, symbols_state_fn state,
		      struct mu_error *err);
