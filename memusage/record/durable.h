/* durable.h -- An arena that is a file next to the recording (--durable).
 *
 * It outlives a kill of all processes of the run, memusage among them: `memusage --finish` makes
 * the reports from it. The lock of the file is that of its open file, which every mapping of it
 * keeps: so it is held as long as any process of the run lives.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/base/error.h"

/* durable_name -- Returns the name of arena NUMBER of the recording RECORD, to be freed.
 *
 * 0: "RECORD.arena"; n: "RECORD.arena.n".
 */
char *durable_name(const char *record, unsigned int number);

/* durable_record_of -- Returns the recording to which the arena NAME belongs, to be freed; NULL if
 * its name does not end in ".arena". */
char *durable_record_of(const char *name);

/* durable_create -- Creates an empty file for an arena in the directory of NAME.
 *
 * Has no name, if the file system permits that; *IS_NAMED otherwise: it is NAME. Readable for the
 * user only. Locked.
 * Returns a descriptor, or -1 with ERR. Refuses file systems on which a write to a mapping can fail
 * although its page was populated: it would kill the program.
 */
int durable_create(const char *name, bool *is_named, struct mu_error *err);

/* durable_publish -- Gives the file FD its NAME, unless it has it. Returns 0, or -1 with ERR. */
int durable_publish(int fd, const char *name, bool is_named, struct mu_error *err);

/* durable_reserve -- Allocates the blocks of the first BYTES, so that writing them cannot fail.
 *
 * Returns 0, or -1 with ERR (a full disk).
 */
int durable_reserve(int fd, uint64_t bytes, struct mu_error *err);

/* durable_lock -- Locks the file for this open file and its duplicates. Returns whether no other
 * one has it. */
bool durable_lock(int fd);

/* durable_make_way -- Renames the recording RECORD and its arena, if a killed run has left one.
 *
 * They become RECORD.1 and RECORD.1.arena, or the next number below 10 that is free. Does nothing
 * while a collector writes the recording.
 * Returns false if no such number is left. Prints a line that names the new files.
 */
bool durable_make_way(const char *record);

/* durable_guard -- Lets this process survive that the mapping of an arena is cut short.
 *
 * Any process that has the descriptor can truncate the file, and a read behind its end is a SIGBUS.
 * From now on such pages read as zero. For at most 64 mappings; process-wide.
 */
void durable_guard(const void *base, uint64_t size);
