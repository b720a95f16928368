/* counter.h -- Find a CPU counter of instructions that programs may read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* counter_parse -- Parses the event of $MEMUSAGE_COUNTER.
 *
 * text  "TYPE:EVENT", two numbers of perf_event_open(2); NULL means instructions.
 * Returns MU_COUNTER(type, event), or 0 if TEXT is invalid.
 */
uint32_t counter_parse(const char *text);

/* counter_why -- Explains why a counter could not be opened and what the user can do about it.
 *
 * why       receives the text, SIZE bytes at most.
 * error     errno of perf_event_open(2).
 * paranoid  /proc/sys/kernel/perf_event_paranoid, INT_MIN if unknown.
 */
void counter_why(char *why, size_t size, int error, int paranoid);

/* counter_find -- Chooses the counter that the recorder is to open, and tries it.
 *
 * Returns the value of mu_config.counter. Dies with a message if the machine, the kernel or the
 * administrator does not permit it.
 */
uint32_t counter_find(void);
