/* code.h -- what the code of a module is for --alloc-fn and --ignore-fn, as ranges.
 *
 * For the recorder, which cannot look up names itself (docs/format.md, section 7.1). The names
 * are those that the reports find at the same addresses, by the same code.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/base/error.h"
#include "profile/model/filter.h"
#include "profile/symbols/symbols.h"

struct code_ranges {
	uint64_t *word;		/* MU_CODE_WORD(); ascending */
	size_t count;
};

/* code_ranges -- read the names of a module.
 *
 * r       overwritten; code_ranges_free() it in any case.
 * module  path, and the build-id that it must have.
 * o       options->root is where PATH begins.
 * names   the lists of functions.
 * Returns 0, or -1 with ERR if the file cannot be read or is another one.
 * Reads files that may be hostile, in this process: to be called where that is no loss.
 * Cost    about 10 ms for libc; with debug information one pass over it.
 */
int code_ranges(struct code_ranges *r, const struct symbols_module *module,
		const struct symbols_options *o, const struct filter_options *names,
		struct mu_error *err);

/* code_ranges_free -- release everything. */
void code_ranges_free(struct code_ranges *r);
