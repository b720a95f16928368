/* nothing.c -- why a program was not recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/nothing.h"

static int last_status;

void nothing_note_end(int status)
{
	last_status = status;
}

const char *nothing_reason(const struct session *s, uint64_t refused)
{
	(void)s;
	(void)refused;
	(void)last_status;
	return "nothing was recorded";
}
