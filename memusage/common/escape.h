/* escape.h -- Escape untrusted text for a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

/* escape_text -- Copies TEXT so that it can neither control a terminal nor begin a new line.
 *
 * Bytes that a terminal must not receive (cli/terminal.h) become \xNN; the others stay.
 * safe  receives at most SIZE bytes with the final zero; it is cut at a whole character.
 * Returns SAFE.
 */
const char *escape_text(char *safe, size_t size, const char *text);
