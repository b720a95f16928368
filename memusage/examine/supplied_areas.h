/* supplied_areas.h -- Mappings whose pages the process itself supplies, by userfaultfd(2).
 *
 * Who reads a page there that is missing waits until a thread of the process supplies it: for ever
 * if they are all stopped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* supplied_areas_may_be -- Returns whether a process has a descriptor of userfaultfd.
 *
 * It may hear of a fork() by it, and the fork waits until it has heard.
 */
bool supplied_areas_may_be(pid_t pid);

/* supplied_areas_find -- Calls a function for each such mapping of a process.
 *
 * start  where the mapping begins.
 * data   what the function gets.
 * Cost two system calls per descriptor without one of userfaultfd; with one, the kernel walks all
 * page tables of the process.
 */
void supplied_areas_find(pid_t pid, void (*visit)(uint64_t start, void *data), void *data);
