/* allocsyms.h -- where in a file the functions are that --alloc-symbol names.
 *
 * Symbols are looked for in .symtab, .dynsym, .gnu_debugdata and separate debug files. A function
 * whose calls could not be understood right is found with a reason to leave it alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/base/error.h"
#include "profile/symbols/allocrule.h"
#include "profile/symbols/symbols.h"

struct allocsyms {
	uint8_t *answer;	/* as docs/format.md, section 7.1, has it */
	size_t length;		/* bytes, a multiple of 8 */
};

/* allocsyms_find -- look through a module.
 *
 * a       overwritten; allocsyms_free() it in any case.
 * module  path, and the build-id that it must have.
 * o       options->root is where PATH begins.
 * rule    COUNT of them.
 * Returns 0, or -1 with ERR if the file cannot be read or is another one.
 * Reads files that may be hostile, in this process: to be called where that is no loss.
 */
int allocsyms_find(struct allocsyms *a, const struct symbols_module *module,
		   const struct symbols_options *o, const struct allocrule *rule, size_t count,
		   struct mu_error *err);

/* allocsyms_free -- release everything. */
void allocsyms_free(struct allocsyms *a);
