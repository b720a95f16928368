/* own.h -- intercepting an allocator that the program brings with it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_OWN_H
#define LIBMEMUSAGE_OWN_H

#include <stdbool.h>

struct link_map;

/* own_patch -- have the malloc family that an object exports recorded from now on.
 *
 * object  of ld.so's list; its malloc is called without passing by ours.
 * Returns whether malloc and free at least are intercepted: nothing is changed otherwise.
 * Functions of the family that it does not export are not seen. From the constructor.
 */
bool own_patch(const struct link_map *object);

#endif
