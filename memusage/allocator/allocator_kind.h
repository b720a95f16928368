/* allocator_kind.h -- Whose malloc a process has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/examine/address_space.h"
#include "profile/base/error.h"

/* allocator_kind_check -- Finds out whether the malloc that a process calls is glibc's.
 *
 * maps  mappings of the process; recorders of memusage in it do not count.
 * view  the process, or a thread of it, in whose root directory the files are.
 * Returns 0 if it is, or -1 with ERR: whose it is, and what to do. Reads the symbols of all loaded
 * objects, whose files may be any.
 */
int allocator_kind_check(const struct address_space *maps, pid_t view, struct mu_error *err);
