/* thread_storage.h -- Where the thread-local variables of each thread are.
 *
 * Source  glibc 2.36, sysdeps/x86_64/nptl/tls.h: the word behind the base of a thread is the
 *         address of its table, entry N of which (16 bytes) has the address of the variables of
 *         the Nth object with such variables, in the order of loading; those of the program end
 *         at the base.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/process_modules.h"

/* The variables of one object for one thread. */
struct storage_block {
	uint64_t start, end;
	uint32_t module; /* MODULES_NONE: not known; what the C library keeps for a thread, too */
	pid_t thread;
};

struct thread_storage {
	struct storage_block *block; /* ascending; of two that overlap the smaller one is last */
	uint32_t count, room;
	uint64_t widest;
};

/* thread_storage_find -- Finds them for all threads of a snapshot. */
void thread_storage_find(struct thread_storage *t, const struct snapshot *s,
			 const struct process_modules *m);

/* thread_storage_at -- Returns the smallest block with an address, or NULL. */
const struct storage_block *thread_storage_at(const struct thread_storage *t, uint64_t address);

/* thread_storage_free -- Releases everything. Accepts a zeroed struct. */
void thread_storage_free(struct thread_storage *t);
