/* quick_heap.h -- dedicated ways for the calls of malloc and its family, in libmemusage_attach.so.
 *
 * The general way of patch/entry.h keeps all registers and looks up every block twice.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/patch/entry.h"

/* A call of a function other than malloc and free, on the stack; below its frame. */
struct quick_call {
	uint64_t argument[3];
	uint64_t result;
	struct block old;    /* of realloc, its block, ... */
	uint64_t state;	     /* ... and what is known of that; private to quick_heap.c */
	uint64_t function;   /* address of the struct quick_function */
	uint64_t number;     /* of the hook */
	uint64_t caller_bp;  /* this and the next are the stack frame of an event */
	uint64_t return_address;
};

/* One of these functions. */
struct quick_function {
	uint64_t original;		  /* where it goes on without its hooks */
	void (*begin)(struct quick_call *call); /* before it runs; NULL: nothing */
	void (*end)(struct quick_call *call);	/* after it has run */
};

/* x86_64/patch_entry.S relies on the layout of all three. */
struct quick_heap {
	uint64_t start, size; /* of the object with malloc: its own calls go the general way */
	uint64_t malloc, free; /* as `original` */
	struct quick_function calloc, realloc, memalign, aligned_alloc, posix_memalign;
};

/* quick_heap_arrival -- return the dedicated way of a function, NULL for the general one.
 *
 * name      of a function of the malloc family.
 * function  its address. Functions of one object have a dedicated way, the first one asked for.
 */
entry_arrival_fn *quick_heap_arrival(const char *name, uint64_t function);

/* quick_heap_patched -- note that such a function has been patched: where it goes on.
 *
 * From the hooks of entry_hooks(). Call it before there are events.
 */
void quick_heap_patched(void);

/* quick_heap_allocated -- record a call of malloc.
 *
 * block, size  its result, NULL if it failed, and what was asked for.
 * sp           as hook_sp() of an interposed function.
 * Uses general registers only, and keeps errno. Async-signal-safe.
 */
void quick_heap_allocated(const void *block, uint64_t size, uint64_t sp);

/* quick_heap_freed -- record a call of free, before it.
 *
 * Returns false, having done nothing, if something has to be made or searched for: then the call
 * goes the general way. As quick_heap_allocated().
 */
bool quick_heap_freed(const void *block, uint64_t sp);
