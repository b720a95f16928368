/* leak_query.h -- asking the collector for a leak check before this process ends.
 *
 * Only with MU_CFG_LEAKS, and in a process that began with exec. The calling thread waits for the
 * answer, 120 s at most.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* leak_query_at_end -- ask when exit handlers run. */
void leak_query_at_end(void);

/* leak_query_at_immediate_end -- ask in a function that ends the process without them.
 *
 * caller  its return address.
 */
void leak_query_at_immediate_end(uint64_t caller);
