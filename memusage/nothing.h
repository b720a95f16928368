/* nothing.h -- why a program was not recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_NOTHING_H
#define MEMUSAGE_NOTHING_H

#include <stdint.h>

#include "memusage/collector.h"

/* nothing_note_end -- remember how the program ended, as wait() says it. */
void nothing_note_end(int status);

/* nothing_reason -- one line, without "memusage: ", that says why nothing was recorded.
 *
 * refused  images that asked and got no slot.
 * Looks at the program's file, which may be anything. The text is static.
 */
const char *nothing_reason(const struct session *s, uint64_t refused);

#endif
