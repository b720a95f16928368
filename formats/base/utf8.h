/* utf8.h -- texts of a recording, which may hold anything, for formats that want UTF-8.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* utf8_next -- the character at the start of a zero-terminated text.
 *
 * code  set to it.
 * Returns its bytes, 1 to 4; 0 if TEXT does not begin with one (a stray byte, a surrogate, a
 * form that is too long) or is empty.
 * Source RFC 3629, section 4.
 */
int utf8_next(const char *text, uint32_t *code);

/* utf8_clean -- copy a text; what is no UTF-8 or a control character becomes '?'.
 *
 * also  ASCII characters that become '_', because they mean something in the format; "" none.
 * Returns a text to be freed.
 */
char *utf8_clean(const char *text, const char *also);

/* utf8_put_clean -- print what utf8_clean(text, "") makes of a text. Errors of OUT stay with it. */
void utf8_put_clean(FILE *out, const char *text);
