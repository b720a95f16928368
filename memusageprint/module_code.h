/* module_code.h -- tell the collector what the code of a module is (--code-below, for memusage alone).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_MODULE_CODE_H
#define MEMUSAGEPRINT_MODULE_CODE_H

#include "memusageprint/job/settings.h"

/* code_write -- write an answer of docs/format.md, section 7.1, to standard output.
 *
 * Of the first file, which lies below settings->code_root. Sets limits on this process: files
 * may be hostile. Returns an exit status; there is no message, since nobody would see it.
 */
int code_write(const struct settings *settings);

#endif
