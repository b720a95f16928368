/* collector_query.h -- asking the collector for the code of a file, and waiting for the answer.
 *
 * Only the collector can read symbols; docs/format.md, section 7.1, has the protocol. One thread
 * asks at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* collector_query_init -- for a new image: assume that the collector answers. */
void collector_query_init(void);

/* collector_query_begin -- try to become the thread that asks.
 *
 * wanted  number of a module + 1, or MU_QUERY_SYMBOLS.
 * Returns false after at most 100 ms if another thread asks: check whether it has got the answer,
 * and try again. Async-signal-safe.
 */
bool collector_query_begin(uint32_t wanted);

/* collector_query_ask -- wait for the answer: the words of query_offset, query_count in the image.
 *
 * Returns false if there is none within 30 s for the collector to begin and 120 s for the answer. A
 * collector that did not answer is not asked again. A failure counts in drops.modules, but not that
 * of a leak check. In a
 * sandbox the collector is not asked. Async-signal-safe.
 */
bool collector_query_ask(void);

/* collector_query_end -- let other threads ask. */
void collector_query_end(void);
