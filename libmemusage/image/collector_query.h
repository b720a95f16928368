/* collector_query.h -- asking the collector what a file's code is, and waiting for the answer.
 *
 * Names are known outside only; docs/format.md, section 7.1, has the protocol. One thread asks
 * at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_IMAGE_COLLECTOR_QUERY_H
#define LIBMEMUSAGE_IMAGE_COLLECTOR_QUERY_H

#include <stdbool.h>
#include <stdint.h>

/* collector_query_init -- for a new image: the collector is there. */
void collector_query_init(void);

/* collector_query_begin -- try to be the one who asks.
 *
 * wanted  number of a module + 1, or MU_QUERY_SYMBOLS.
 * Returns false after a while if another thread asks: look whether it has the answer, and try
 * again. Async-signal-safe.
 */
bool collector_query_begin(uint32_t wanted);

/* collector_query_ask -- wait for the answer: the words of query_offset, query_count in the image.
 *
 * Returns false if there is none: 30 s for the collector to begin, 120 s for the answer; a
 * collector that was silent is not asked again. Counted in drops.modules. In a sandbox nobody
 * is asked. Async-signal-safe.
 */
bool collector_query_ask(void);

/* collector_query_end -- let others ask. */
void collector_query_end(void);

#endif
