/* probes.h -- USDT probes by OpenTelemetry's contract for memory: otel_memory:alloc and :free.
 *
 * A consumer (a profiler with eBPF, bpftrace, gdb) finds them in the notes of the library
 * (.note.stapsdt), puts a breakpoint on a nop, and adds 1 to a semaphore while it is there.
 *
 *	alloc(ptr, size, weighted_bytes)  a block was recorded; the expected sum of weighted_bytes
 *					  is the number of bytes allocated
 *	free(ptr)			  a block of which alloc told is about to be freed
 *
 * Source: the contract of opentelemetry-ebpf-profiler, 2026-08; the notes are those of SystemTap,
 * version 3.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"

/* One for each probe, in the order of the notes. A consumer adds 1 to it while it listens. */
union probe_semaphores {
	struct {
		uint16_t alloc, free;
	};
	uint32_t any;
};
extern HIDDEN union probe_semaphores probe_semaphores;

/* probes_are_wanted -- return whether a consumer listens. Async-signal-safe, cost below 1 ns. */
static inline __attribute__((always_inline)) bool probes_are_wanted(void)
{
	return __builtin_expect(__atomic_load_n(&probe_semaphores.any, __ATOMIC_RELAXED) != 0, 0);
}

/* probe_alloc, probe_free -- tell consumers of a block. They do nothing but be there.
 *
 * block		its address
 * size			bytes
 * weighted_bytes	that it stands for
 * Async-signal-safe; cost of a call, or some microseconds if a consumer stops there.
 */
void probe_alloc(const void *block, uint64_t size, uint64_t weighted_bytes);
void probe_free(const void *block);
