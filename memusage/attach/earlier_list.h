/* earlier_list.h -- The blocks of a process from before memusage attached, as its examiner needs
 * them.
 *
 * The recording has them as one place only. But they hold others, which would seem lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/examination.h"

/* earlier_list_add -- Adds them to the blocks of a snapshot, in the site of all of them.
 *
 * Does nothing for a process that memusage has started. In a forked child all blocks of its parent
 * are such ones. An examination_more_fn.
 */
enum examination_more earlier_list_add(struct snapshot *s, struct mu_error *err);
