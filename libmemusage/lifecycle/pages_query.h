/* pages_query.h -- asking the collector what this process's pages are for, before it ends.
 *
 * Only with MU_CFG_FRAGMENTATION, and in a process that began with exec.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* pages_query_at_end -- ask, in a function that ends the process. The calling thread waits for the
 * answer, 120 s at most. A second call does nothing. */
void pages_query_at_end(void);
