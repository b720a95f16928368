/* page_processes.h -- What a report page says of all processes of its recording.
 *
 * The member "processes" is an array in the order in which they began. One with several images
 * (exec) has several elements. Times are ns since the start of the first one.
 *
 *	{"pid":12, "parent":10,		as the collector saw them
 *	 "has_parent":true,		an element with that pid is the parent
 *	 "name":"cc1", "command":"/usr/lib/cc1 -quiet x.c",
 *	 "forked":true,			its peak and live bytes include what its parent had
 *	 "last":true,			no later element has the same pid: else exec followed
 *	 "start":5, "end":90,		"end" is absent if it is not known
 *	 "peak":10, "live":1,		bytes at the peak and at the end
 *	 "own_peak":8, "own_live":1,	the same without what a forked child got from its parent:
 *					the figures that compare processes
 *	 "exit":"signal",		"exit", "_exit", "status", "signal", "exec", "running",
 *					"unknown"
 *	 "status":9,			exit status or signal; absent if it is not known
 *	 "ended":"killed by SIGKILL",	the same as a phrase
 *	 "shown":true}			the page is about this one, which may not be "last"
 *
 * "process_count" is the number of elements without the limit of PAGE_PROCESSES, above which the
 * smallest peaks are left out. "own_peaks" and "own_lives" are the sums over all elements.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/page/page_json.h"
#include "profile/read/process_list.h"

enum { PAGE_PROCESSES = 1000 };

/* page_put_processes -- Writes the members "processes", "process_count", "own_peaks" and
 * "own_lives".
 *
 * slot  of the image that the page shows, which is never left out.
 */
void page_put_processes(struct page_json *j, const struct process_list *list, uint32_t slot);

/* page_put_end -- Writes the members "exit", "status" and "ended" of one process. */
void page_put_end(struct page_json *j, struct image_end end);
