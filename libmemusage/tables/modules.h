/* modules.h -- the loaded objects that have the frames of stacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

struct link_map;

/* modules_init -- make the empty table of a new image. */
void modules_init(void);

/* modules_note -- record the object that contains an address, unless it is recorded already.
 *
 * Call under the lock of sites.c. Takes no lock of ld.so. Async-signal-safe. Costs 50 ns for a
 * known object, some us otherwise. Returns its entry; NULL for code that is in no object (JIT).
 */
const struct mu_module *modules_note(uint64_t pc);

#define MODULES_PATH 8192u /* bytes: of a directory, and of a name below it */

/* modules_path -- copy an object's path for reports into the image.
 *
 * name     ld.so's name of the object; NULL or "" for the program's executable.
 * address  in the object: the kernel's path of it is used if NAME alone means nothing later.
 * path     working memory, overwritten; it is too large for the stacks of programs.
 * Returns an empty string if the image is full. Async-signal-safe.
 */
struct mu_string modules_path(const char *name, uint64_t address, char path[MODULES_PATH]);

/* modules_build_id -- set the build-id of a module whose start, end and bias are set.
 *
 * map  of ld.so's list: the module's object.
 * Does nothing if the object has no note of it. Async-signal-safe.
 */
void modules_build_id(struct mu_module *module, const struct link_map *map);

/* modules_number -- return the number of an entry in the table. */
uint32_t modules_number(const struct mu_module *module);

/* modules_closed -- after dlclose, mark objects that are gone, and begin a new generation.
 *
 * Not async-signal-safe.
 */
void modules_closed(void);
