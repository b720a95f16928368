/* builtin_malloc.h -- intercepting an allocator that the program brings with it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

struct link_map;

/* builtin_malloc_patch -- intercept the malloc family that an object exports.
 *
 * object  of ld.so's list; its malloc is called without ours.
 * is_new  it was just mapped: no thread can be in it.
 * Returns whether at least malloc and free are intercepted; otherwise nothing is changed. The
 * recording tells which functions are not, and why. Functions of the family that the object does
 * not export are not seen. From the constructor, or where ld.so called us.
 */
bool builtin_malloc_patch(const struct link_map *object, bool is_new);

/* builtin_malloc_watch -- inspect objects that are opened from now on, before their code runs.
 *
 * Idempotent; not async-signal-safe. Cost 30 us, once.
 */
void builtin_malloc_watch(void);
