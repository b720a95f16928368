/* instructions.h -- time in executed instructions, by the emulator's count or the CPU's.
 *
 * The CPU counts each thread separately. A thread opens its counter when it gets a record, maps the
 * page by which the kernel lets a program read the counter without a system call, and closes the
 * descriptor. The counter exists as long as the mapping, so no descriptor is left that the program
 * could close or pass on. The descriptor is open for some microseconds. If another thread closes
 * all descriptors just then, or all from some number on, this thread has no counter; if that thread
 * also opens one, which gets the same number, this one closes it instead. A child that is forked
 * just then has a copy, which an exec closes. The mapping takes one page of those that the kernel
 * lets an unprivileged user lock (kernel.perf_event_mlock_kb for each CPU, then ulimit -l): threads
 * beyond have no counter.
 *
 * A thread adds its count to the process's sum when it reads the time. So the count of a thread
 * that does not allocate is missing until it does, or ends. A forked child continues its parent's
 * sum.
 *
 * The count includes the recorder's code, but not the kernel's. Without mu_config.counter all of
 * this does nothing and costs nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/image/recorder.h"

struct perf_event_mmap_page;

/* instructions_by_cpu -- return whether only instructions_update() advances the sum. */
static inline bool instructions_by_cpu(void)
{
	return rec.segment->config.counter != 0;
}

/* instructions_attach -- begin to count the calling thread's instructions.
 *
 * Call it once per thread, and again in a forked child, where the kernel has removed the mapping.
 * A thread without a counter adds nothing to the time, which is a drop. Async-signal-safe. Costs
 * three system calls.
 */
void instructions_attach(void);

/* instructions_detach -- add the rest of the count of a thread that ends, and free its counter. */
void instructions_detach(void);

/* instructions_exit -- count a drop, at exit, if the thread was not counted all the time. */
void instructions_exit(void);

/* instructions_emulated -- set the address of an emulator's count, NULL for none. */
void instructions_emulated(const uint64_t *count);

/* instructions_sum -- return the address of the number of instructions executed, never NULL. */
const uint64_t *instructions_sum(void);

/* instructions_update -- add to the sum the calling thread's instructions since the last call.
 *
 * Async-signal-safe.
 * Costs one reading of the counter, and an atomic addition to a sum that all threads share. The
 * time of rdpmc is unknown, as no machine at hand has such a counter. If the CPU does not count,
 * it costs a load and a branch.
 */
void instructions_update(void);

/* instructions_read -- read a counter by its page.
 *
 * read_counter  the CPU's counter of that number: cpu_counter(), or a test's.
 * Source        <linux/perf_event.h>, struct perf_event_mmap_page.
 */
uint64_t instructions_read(const struct perf_event_mmap_page *page,
			   uint64_t (*read_counter)(uint32_t number));
