/* counter.h -- the CPU's counter of instructions: whether there is one that programs may read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_COUNTER_H
#define MEMUSAGE_COMMON_COUNTER_H

#include <stddef.h>
#include <stdint.h>

/* counter_parse -- the event of $MEMUSAGE_COUNTER, or of instructions if that is not set.
 *
 * text  "TYPE:EVENT", two numbers of perf_event_open(2); NULL: the usual.
 * Returns MU_COUNTER(type, event), 0 if text is neither.
 */
uint32_t counter_parse(const char *text);

/* counter_why -- why a counter could not be opened, and what can be done about it.
 *
 * why       gets the text, SIZE bytes at most.
 * error     of perf_event_open(2).
 * paranoid  /proc/sys/kernel/perf_event_paranoid, INT_MIN where it is not known.
 */
void counter_why(char *why, size_t size, int error, int paranoid);

/* counter_find -- the counter that the recorder is to open, having tried it here.
 *
 * Returns what mu_config.counter is to be; ends the program, with the reason, if the machine,
 * the kernel or an administrator do not let us.
 */
uint32_t counter_find(void);

#endif
