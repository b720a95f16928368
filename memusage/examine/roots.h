/* roots.h -- The memory of a process from which blocks can be reached.
 *
 * Roots are, as for Memcheck: writable data of all objects; stacks, from the stack pointer;
 * registers; thread-local storage; mappings that are no heap. No roots are: what is free, the C
 * library's own data about it, stacks of threads that have ended, and the recorder's memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"

enum root_kind { ROOT_GLOBAL, ROOT_STACK, ROOT_REGISTERS, ROOT_TLS, ROOT_MAPPING, ROOT_SHARED };

/* A range of memory, or the registers of a thread. */
struct root {
	enum root_kind kind;
	uint64_t start, end;	 /* 0: registers */
	pid_t thread;		 /* whose stack or registers, 0 none */
	const struct area *area; /* NULL: registers */
	bool own_pages_only; /* pages of a file that the process has not changed hold no pointer */
	bool start_pointers_only; /* interior pointers are the C library's, to free memory */
};

struct roots {
	struct root *root;
	uint32_t count, room;
	/* The process's own pointers to thread-local storage that point behind its start. */
	uint64_t *table;
	uint32_t tables, table_room;
};

/* roots_find -- Finds all roots of a snapshot. Call roots_free(). */
void roots_find(struct roots *r, const struct snapshot *s);

/* roots_free -- Releases everything. Accepts a zeroed struct. */
void roots_free(struct roots *r);
