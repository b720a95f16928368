/* env.h -- Environment variables of a profiled process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Set by memusage: "1:ABSTRACT:PATH". Present: ask that collector, or do nothing if it is
 * gone. Absent: the library works alone, configured by the variables below. */
#define MU_ENV_COLLECTOR "MEMUSAGE_COLLECTOR"

/* glibc's names (specified in memusage(5)); read by the library alone and, as defaults of
 * the options, by memusage. */
#define MU_ENV_PROG_NAME "MEMUSAGE_PROG_NAME"
#define MU_ENV_OUTPUT "MEMUSAGE_OUTPUT"
#define MU_ENV_BUFFER_SIZE "MEMUSAGE_BUFFER_SIZE"
#define MU_ENV_NO_TIMER "MEMUSAGE_NO_TIMER"
#define MU_ENV_TRACE_MMAP "MEMUSAGE_TRACE_MMAP"

/* Set by memusage if it has seccomp filters itself: their number, unless the user has set it. A
 * process that has more inherited one from a program that loaded it, and is not recorded. */
#define MU_ENV_FILTERS "MEMUSAGE_FILTERS"

/* Set: record nothing until a client starts it (--start-paused); read by the library alone. */
#define MU_ENV_PAUSED "MEMUSAGE_PAUSED"

/* The emulator that counts accesses and its options, separated by newlines: it also runs the
 * programs that the program executes. */
#define MU_ENV_EMULATOR "MEMUSAGE_EMULATOR"

/* Another event than instructions for --time-unit=i, "TYPE:EVENT" in numbers of
 * perf_event_open(2): for tests on machines that count none. */
#define MU_ENV_COUNTER "MEMUSAGE_COUNTER"

/* With --sample, for tests: a number from which the random numbers follow, so that a run can be
 * repeated; and the live sampled blocks above which fewer are taken. */
#define MU_ENV_SAMPLE_SEED "MEMUSAGE_SAMPLE_SEED"
#define MU_ENV_SAMPLE_LIMIT "MEMUSAGE_SAMPLE_LIMIT"

/* Directory of the file arena when the library works alone. */
#define MU_ENV_DIR "MEMUSAGE_DIR"

/* Append one line per lifecycle event of the recorder to this file. */
#define MU_ENV_TRACE "MEMUSAGE_TRACE"
