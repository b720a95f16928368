/* before.h -- The blocks that a process had before memusage attached to it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/attach/stop.h"

/* before_prepare -- Finds out whether they can be counted, while the process runs on. */
void before_prepare(struct stop *s);

/* before_count -- Counts them, when all threads are stopped. Needs the mappings of now.
 *
 * Returns TARGET_OK with s->a->before, also if they cannot be counted; TARGET_BUSY if malloc is in
 * the middle of a change, a limited number of times.
 */
enum target_result before_count(struct stop *s);
