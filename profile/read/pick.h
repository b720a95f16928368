/* pick.h -- which image of a recording a report is about.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "profile/read/segment.h"

/* A number that is no slot of a recording. */
#define PICK_NONE UINT32_MAX

/* pick_main -- the slot of the process that was started: of the first one recorded, its last
 * image. PICK_NONE if there is no image that can be read. */
uint32_t pick_main(const struct segment *s);

/* pick_process -- the slot of the last image of a process, as the collector saw its number, or
 * PICK_NONE. */
uint32_t pick_process(const struct segment *s, pid_t pid);
