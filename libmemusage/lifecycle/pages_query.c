/* pages_query.c -- asking the collector what this process's pages are for, before it ends.
 *
 * When the process is gone, so are its pages, and the private part of the table of blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/pages_query.h"

#include <stddef.h>

#include "libmemusage/image/collector_query.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

static bool is_wanted(void)
{
	return rec.flags & MU_CFG_FRAGMENTATION && collector_query_can_examine() && has_self() &&
	       rec.image->process.fork_mono_ns == 0 && rec.image->pages == 0;
}

void pages_query_at_end(void)
{
	if (!is_wanted())
		return;
	if (collector_query_examine(MU_QUERY_PAGES))
		__atomic_store_n(&rec.image->pages, rec.image->query_offset, __ATOMIC_RELEASE);
	collector_query_end();
	rec.image->examined.exit_thread = 0;
}
