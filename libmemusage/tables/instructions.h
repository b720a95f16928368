/* instructions.h -- time in instructions executed, by the emulator's count or the CPU's own.
 *
 * The CPU counts for each thread apart. A thread opens its counter when it gets a record, maps the
 * page by which the kernel lets a program read it without a system call, and closes the
 * descriptor: the counter lives as long as the mapping, so nothing is left that the program could
 * close or hand on. Between opening and mapping there are some microseconds in which a descriptor
 * is open: another thread that closes all descriptors just then, or all from some number on, closes
 * it, too, and this thread is without a counter (if it opens another at once, which gets the same
 * number, that is closed instead); a child that it forks just then has a copy, which an exec
 * closes. The mapping is one page of those that the kernel lets an unprivileged user lock
 * (kernel.perf_event_mlock_kb for each CPU, then ulimit -l): threads beyond have no counter.
 *
 * What a thread has executed is added to the process's sum when it looks at the time, as its
 * changes of the heap are; so a thread that does not allocate is behind until it does, or ends. A
 * forked child goes on with its parent's sum.
 *
 * Only code outside the kernel is counted, the recorder's own included. Without mu_config.counter
 * all of this does nothing and costs nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_TABLES_INSTRUCTIONS_H
#define LIBMEMUSAGE_TABLES_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"

struct perf_event_mmap_page;

/* instructions_by_cpu -- whether the sum must be asked for: nobody else advances it. */
static inline bool instructions_by_cpu(void)
{
	return rec.segment->config.counter != 0;
}

/* instructions_attach -- begin to count what the calling thread executes.
 *
 * Once per thread, and again in a forked child, whose kernel has taken the mapping away. Without a
 * counter the thread's time stands still, which is a drop. Async-signal-safe. Cost: three system
 * calls.
 */
void instructions_attach(void);

/* instructions_detach -- the thread ends: take what is left of its count, and give it back. */
void instructions_detach(void);

/* instructions_exit -- the process ends: was the calling thread counted all the time? */
void instructions_exit(void);

/* instructions_emulated -- tell where an emulator keeps its count; NULL: nowhere. */
void instructions_emulated(const uint64_t *count);

/* instructions_sum -- where the number of instructions executed so far is kept; a zero where
 * nobody counts. */
const uint64_t *instructions_sum(void);

/* instructions_update -- add to the sum what the calling thread executed since the last time.
 *
 * Async-signal-safe.
 * Cost: one reading of the counter, and an atomic addition to a sum that all threads share. What
 * rdpmc takes could not be measured, as no machine at hand has such a counter. If it is not the CPU
 * that counts, a load and a branch.
 */
void instructions_update(void);

/* instructions_read -- what a page says its counter has counted.
 *
 * read_counter  the CPU's counter of that number: cpu_counter(), or a test's.
 * Source        <linux/perf_event.h>, struct perf_event_mmap_page.
 */
uint64_t instructions_read(const struct perf_event_mmap_page *page,
			   uint64_t (*read_counter)(uint32_t number));

#endif
