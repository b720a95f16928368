/* inlined_nodw.c -- where a file has inlined calls: nobody can tell.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/inlined.h"

int inlined_walk(int fd, inlined_fn visit, void *data)
{
	(void)fd;
	(void)visit;
	(void)data;
	return -1;
}
