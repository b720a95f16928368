/* process_modules.h -- The objects that a process has loaded, and their files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "profile/read/modules.h"

struct process_modules {
	const struct tracee *tracee; /* borrowed: whose files they are */
	struct modules all;
	uint32_t generation; /* of the moment */
	char root[32];	     /* directory that paths begin at */
};

/* process_modules_read -- Reads the list from the image of a snapshot. Objects that have never
 * called malloc are not in it: they are added from the mappings of the process. */
void process_modules_read(struct process_modules *m, const struct snapshot *s);

/* process_modules_find -- Returns the number of the object that has an address, code or data, at
 * the moment of the snapshot, or MODULES_NONE. */
uint32_t process_modules_find(const struct process_modules *m, uint64_t address);

/* process_modules_open -- Opens the file of an object.
 *
 * Returns false if it is missing, or is not the file that was loaded: F is closed then.
 */
bool process_modules_open(const struct process_modules *m, uint32_t module, struct elf_file *f);

/* process_modules_open_debug -- Opens the separate debug file of an object whose file F has no
 * .symtab.
 *
 * Returns false if there is none, or none is needed: DEBUG is closed then.
 */
bool process_modules_open_debug(const struct process_modules *m, uint32_t module,
				const struct elf_file *f, struct elf_file *debug);

/* process_modules_free -- Releases everything. Accepts a zeroed struct. */
void process_modules_free(struct process_modules *m);
