/* pages_query.c -- asking the collector what this process's pages are for, before it ends.
 *
 * When the process is gone, so are its pages, and the private part of the table of blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/pages_query.h"

#include <stddef.h>
#include <sys/prctl.h>

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/collector_query.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

static bool is_wanted(void)
{
	return rec.flags & MU_CFG_FRAGMENTATION && gate.on && rec.pid == sys_getpid() &&
	       has_self() && !sandbox.is_on && rec.image->process.fork_mono_ns == 0 &&
	       rec.image->pages == 0 && rec.image->examined.exit_thread == 0;
}

void pages_query_at_end(void)
{
	if (!is_wanted())
		return;
	/* The examiner need not wait until this thread has left the recorder. */
	rec.image->examined.exit_thread = (uint32_t)sys_gettid();
	/* The collector is no parent of this process, so Yama must be told that it may trace. */
	SYS2(SYS_prctl, PR_SET_PTRACER, rec.segment->collector_pid);
	while (!collector_query_begin(MU_QUERY_PAGES))
		;
	if (collector_query_ask())
		__atomic_store_n(&rec.image->pages, rec.image->query_offset, __ATOMIC_RELEASE);
	collector_query_end();
	rec.image->examined.exit_thread = 0;
}
