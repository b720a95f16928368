/* module_code.h -- Tells the collector which code a module has (--code-below, which only memusage
 * uses).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/settings.h"

/* module_code_write -- Writes an answer of docs/format.md, section 7.1, to standard output.
 *
 * The answer is about the first file, which is below settings->code_root. Because files may be
 * hostile, this sets limits on the process. Returns an exit status; memusage discards messages, so
 * there are none.
 */
int module_code_write(const struct settings *settings);
