/* copies.c -- names of the functions that copy.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/copies.h"

#include "recording/copies.h"

static const char *const names[MU_COPY_COUNT] = {
	[MU_COPY_INLINE] = "copy", [MU_COPY_MEMCPY] = "memcpy", [MU_COPY_MEMMOVE] = "memmove",
	[MU_COPY_MEMPCPY] = "mempcpy", [MU_COPY_BCOPY] = "bcopy", [MU_COPY_MEMCCPY] = "memccpy",
	[MU_COPY_STRCPY] = "strcpy", [MU_COPY_STPCPY] = "stpcpy", [MU_COPY_STRNCPY] = "strncpy",
	[MU_COPY_STPNCPY] = "stpncpy", [MU_COPY_STRLCPY] = "strlcpy", [MU_COPY_WCSCPY] = "wcscpy",
	[MU_COPY_WCPCPY] = "wcpcpy", [MU_COPY_WCSNCPY] = "wcsncpy", [MU_COPY_WCPNCPY] = "wcpncpy",
	[MU_COPY_WMEMCPY] = "wmemcpy", [MU_COPY_WMEMMOVE] = "wmemmove",
	[MU_COPY_WMEMPCPY] = "wmempcpy", [MU_COPY_STRDUP] = "strdup",
	[MU_COPY_STRNDUP] = "strndup", [MU_COPY_WCSDUP] = "wcsdup",
};

const char *copies_name(uint16_t fn)
{
	return fn >= MU_FN_COPY && fn < MU_FN_COPY + MU_COPY_COUNT ? names[fn - MU_FN_COPY] : "";
}
