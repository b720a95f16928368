/* demangle_libdw.c -- demangling by libiberty, which comes and goes with libdw here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64 << 10 };

char *demangle(const char *name)
{
	/* All schemes begin so; most C names need not be looked at. */
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
	    strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES)
		return NULL;
	return cplus_demangle(name, DMGL_ANSI | DMGL_PARAMS | DMGL_AUTO);
}
