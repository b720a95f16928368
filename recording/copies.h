/* copies.h -- Functions that copy, in copy mode.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* With MU_CFG_COPIES: mu_site.fn of a site where bytes are copied, MU_FN_COPY plus one of these.
 * The names are those of profile/read/copies.c. */
#define MU_FN_COPY 64
enum mu_copy {
	MU_COPY_INLINE = 0, /* by the compiler's own code, seen through its hooks */
	MU_COPY_MEMCPY = 1,
	MU_COPY_MEMMOVE = 2,
	MU_COPY_MEMPCPY = 3,
	MU_COPY_BCOPY = 4,
	MU_COPY_MEMCCPY = 5,
	MU_COPY_STRCPY = 6,
	MU_COPY_STPCPY = 7,
	MU_COPY_STRNCPY = 8,
	MU_COPY_STPNCPY = 9,
	MU_COPY_STRLCPY = 10,
	MU_COPY_WCSCPY = 11,
	MU_COPY_WCPCPY = 12,
	MU_COPY_WCSNCPY = 13,
	MU_COPY_WCPNCPY = 14,
	MU_COPY_WMEMCPY = 15,
	MU_COPY_WMEMMOVE = 16,
	MU_COPY_WMEMPCPY = 17,
	MU_COPY_STRDUP = 18,
	MU_COPY_STRNDUP = 19,
	MU_COPY_WCSDUP = 20,
	MU_COPY_COUNT = 21
};
