/* quick_heap.h -- dedicated ways for the calls of malloc and free, in libmemusage_attach.so.
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

/* x86_64/patch_entry.S relies on the layout. */
struct quick_heap {
	uint64_t start, size; /* of the object with malloc: its own calls go the general way */
	uint64_t malloc, free; /* where these go on without their hooks */
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
