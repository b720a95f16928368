/* collector_query.h -- asking the collector for the code of a file, or an examination of this
 * process, and waiting for the answer.
 *
 * Only the collector can read symbols, and have a process examined from outside. The protocol is in
 * docs/format.md, section 7.1. One thread asks at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* collector_query_init -- for a new image: assume that the collector answers, and name it as
 * below. */
void collector_query_init(void);

/* collector_query_name_tracer -- tell Yama that the collector's children may trace this process.
 *
 * It is no ancestor, so a check that a client asks for, or the process itself, would be refused. A
 * forked child inherits nothing of this. Does nothing without call stacks, as there are no checks
 * then, nor in a sandbox. Cost two system calls, 0.4 us; kernels without Yama refuse the second.
 * Async-signal-safe.
 * Source prctl(2), PR_SET_PTRACER; Linux, Documentation/admin-guide/LSM/Yama.rst.
 */
void collector_query_name_tracer(void);

/* collector_query_begin -- try to become the thread that asks.
 *
 * wanted  number of a module + 1, or one of MU_QUERY_SYMBOLS, MU_QUERY_LEAKS, MU_QUERY_PAGES,
 *         MU_QUERY_HOLDERS.
 * Returns false after at most 100 ms if another thread asks: check whether it has got the answer,
 * and try again. Async-signal-safe.
 */
bool collector_query_begin(uint32_t wanted);

/* collector_query_ask -- wait for the answer: the words of query_offset, query_count in the image.
 *
 * Returns false if there is none within 30 s for the collector to begin and 120 s for the answer. A
 * collector that did not answer is not asked again. A failure counts in drops.modules, but not that
 * of an examination. In a sandbox the collector is not asked. Async-signal-safe.
 */
bool collector_query_ask(void);

/* collector_query_can_examine -- whether this process may ask to be examined: its recorder is on,
 * and no question of this kind is being asked. Async-signal-safe. */
bool collector_query_can_examine(void);

/* collector_query_examine -- ask to be examined, and wait as collector_query_ask() does.
 *
 * wanted  MU_QUERY_LEAKS, MU_QUERY_PAGES or MU_QUERY_HOLDERS.
 * The calling thread is the image's exit_thread from now on. Call collector_query_end() in either
 * case. Async-signal-safe.
 */
bool collector_query_examine(uint32_t wanted);

/* collector_query_end -- let other threads ask. */
void collector_query_end(void);
