/* escape.h -- names from elsewhere, made fit for a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_ESCAPE_H
#define MEMUSAGE_COMMON_ESCAPE_H

#include <stddef.h>

/* escape_text -- copy TEXT so that it can drive no terminal and fill no second line.
 *
 * Bytes of what a terminal must not be given (cli/terminal.h) become \xNN; what it shows stays.
 * safe  gets at most SIZE bytes with the final zero; cut at a whole character.
 * Returns SAFE.
 */
const char *escape_text(char *safe, size_t size, const char *text);

#endif
