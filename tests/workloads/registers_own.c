/* registers_own.c -- registers.c with a malloc of its own: `registers_own own`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define OWN_MALLOC
#include "tests/workloads/registers.c"
