/* remote_leaks.h -- The commands leak_check, block_list and who_points_at of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

/* The words that the command takes, for the help. */
#define REMOTE_LEAKS_WORDS "summary|xtleak] [kinds SET] [any|new] [FILE"

/* The file of the tree that the word xtleak asks for, without another name. */
#define REMOTE_LEAKS_TREE "xtleak.kcg.%p.%n"

/* remote_leaks_find_tree -- Tells whether one of the words asks for a tree. */
bool remote_leaks_find_tree(char **words);

/* remote_leaks_run -- Examines the process, and prints which of its blocks are lost, or what has
 * changed since the last check; or writes a recording with that, or a tree.
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
