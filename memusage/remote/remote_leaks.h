/* remote_leaks.h -- The commands leak_check, block_list and who_points_at of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* The words that the command takes, for the help. */
#define REMOTE_LEAKS_WORDS "summary] [kinds SET] [any|new] [FILE"

/* remote_leaks_run -- Examines the process, and prints which of its blocks are lost, or what has
 * changed since the last check; or writes a recording with that.
 *
 * Returns 0, or -1 after a message.
 */
int remote_leaks_run(struct remote *r);

/* remote_leaks_run_block_list -- Examines the process, and prints the blocks that are in loss
 * records of the last check now. Returns as above. */
int remote_leaks_run_block_list(struct remote *r);

/* remote_leaks_run_who_points_at -- Examines the process, and prints what points into a range of
 * its memory. Returns as above. */
int remote_leaks_run_who_points_at(struct remote *r);
