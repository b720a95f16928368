/* sampled_own.c -- sampled.c with a malloc of its own in the executable.
 *
 * SPDX-License-Identifier: 0BSD
 */
/* CFLAGS: -fno-builtin */
#include "tests/lib/bump.h"

#include "tests/workloads/sampled.c"
