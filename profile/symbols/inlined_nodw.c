/* inlined_nodw.c -- Finds no inlined calls, without libdw.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/inlined.h"

int inlined_walk(int fd, inlined_fn visit, void *data)
{
	return -1;
}
