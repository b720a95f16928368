/* builtin_malloc.h -- intercepting an allocator that the program brings with it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_PATCH_BUILTIN_MALLOC_H
#define LIBMEMUSAGE_PATCH_BUILTIN_MALLOC_H

#include <stdbool.h>

struct link_map;

/* builtin_malloc_patch -- have the malloc family that an object exports recorded from now on.
 *
 * object    of ld.so's list; its malloc is called without passing by ours.
 * is_new  it was just mapped: no thread can be in it.
 * Returns whether malloc and free at least are intercepted: nothing is changed otherwise. What
 * is not, and why, is in the recording. Functions of the family that it does not export are
 * not seen. From the constructor, or where ld.so called us.
 */
bool builtin_malloc_patch(const struct link_map *object, bool is_new);

/* builtin_malloc_watch -- inspects objects that are opened from now on, before their constructors
 * run. Idempotent; not async-signal-safe. Cost 30 us, once. */
void builtin_malloc_watch(void);

#endif
