/* demangle_nodw.c -- names stay as linkers have them when there is no libiberty.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/demangle.h"

#include <stddef.h>

char *demangle(const char *name)
{
	return NULL;
}
