/* modules.h -- the objects whose code a process ran: program, libraries, what dlopen brought.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"
#include "profile/symbols/elf_file.h"

#define MODULES_NONE UINT32_MAX

struct module {
	uint64_t start;		/* addresses [start, end) */
	uint64_t end;
	uint64_t bias;		/* address in the process minus that in the file */
	uint32_t opened;	/* generations [opened, closed) */
	uint32_t closed;	/* UINT32_MAX: never */
	struct build_id id;
	char *path;		/* as the process saw it; owned */
	bool is_recorder;	/* libmemusage.so itself */
	uint32_t rank;		/* place in the order of loading, see modules_order() */
};

/* Sorted by start. */
struct modules {
	struct module *module;
	uint32_t count;
	uint64_t *reach;	/* private: the largest end of this one and those before it */
};

/* modules_load -- copy them out of an image; modules_free() them. */
void modules_load(struct modules *m, const struct image *im);

/* modules_add -- Adds objects that are not in the image.
 *
 * more  COUNT of them; their paths are copied.
 * Numbers of modules become others.
 */
void modules_add(struct modules *m, const struct module *more, uint32_t count);

/* modules_find -- which of them held an ADDRESS in a generation (mu_frame.generation).
 *
 * Returns an index, or MODULES_NONE: code made at run time, or nothing at all.
 */
uint32_t modules_find(const struct modules *m, uint64_t address, uint32_t generation);

/* modules_order -- Returns an address's rank in the order that Valgrind would see.
 *
 * Massif lists equals by address. Under Valgrind the program has the lowest addresses, then
 * comes the dynamic linker, then each library above the one loaded before it; Linux maps each below
 * the one before. So the order of modules is reversed here.
 *
 * module  from modules_find(); MODULES_NONE comes last.
 */
uint64_t modules_order(const struct modules *m, uint32_t module, uint64_t address);

/* modules_follow_links -- replace paths by those of the files that were mapped.
 *
 * The dynamic linker knows libraries by their links; Massif names the file.
 */
void modules_follow_links(struct modules *m);

/* modules_free -- release everything. Fine for a zeroed struct. */
void modules_free(struct modules *m);
