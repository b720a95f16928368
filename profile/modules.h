/* modules.h -- the objects whose code a process ran: program, libraries, what dlopen brought.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_MODULES_H
#define PROFILE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/elf_file.h"
#include "profile/error.h"
#include "profile/image.h"

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
};

/* Sorted by start. */
struct modules {
	struct module *module;
	uint32_t count;
	uint64_t *reach;	/* private: the largest end of this one and those before it */
};

/* modules_load -- copy them out of an image.
 *
 * Returns 0, or -1 with ERR without memory; M is to be freed in either case.
 */
int modules_load(struct modules *m, const struct image *im, struct mu_error *err);

/* modules_find -- which of them held an ADDRESS in a generation (mu_frame.generation).
 *
 * Returns an index, or MODULES_NONE: code made at run time, or nothing at all.
 */
uint32_t modules_find(const struct modules *m, uint64_t address, uint32_t generation);

/* modules_free -- release everything. Fine for a zeroed struct. */
void modules_free(struct modules *m);

#endif
