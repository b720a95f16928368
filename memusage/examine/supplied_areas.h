/* supplied_areas.h -- Mappings whose pages the process itself supplies, by userfaultfd(2).
 *
 * Who reads a page there that is missing waits until a thread of the process supplies it: for ever
 * if they are all stopped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/examine/address_space.h"

/* supplied_areas_may_be -- Returns whether a process has a descriptor of userfaultfd.
 *
 * It may hear of a fork() by it, and the fork waits until it has heard.
 */
bool supplied_areas_may_be(pid_t pid);

/* supplied_areas_mark -- Gives AREA_SUPPLIED to the areas of S that are such mappings.
 *
 * pid  whose mappings these are. Cost nothing without such a descriptor; with one, the kernel
 *      walks all page tables of the process for it.
 */
void supplied_areas_mark(struct address_space *s, pid_t pid);
