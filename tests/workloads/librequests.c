/* librequests.c -- a shared object with requests of its own, in its constructor too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "include/memusage.h"

static char room[1000];

__attribute__((constructor)) static void begin(void)
{
	MEMUSAGE_MALLOCLIKE_BLOCK(room, 100);
}

void plugin_use(char *at);
void plugin_use(char *at)
{
	MEMUSAGE_MALLOCLIKE_BLOCK(at, 101);
}
