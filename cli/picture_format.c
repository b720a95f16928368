/* picture_format.c -- Names of pictures in formats that nothing here draws.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/picture_format.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

const char *picture_format_foreign(const char *name)
{
	static const char *const foreign[] = {
		".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".avif", ".tif", ".tiff", ".pdf", ".html",
	};
	const char *slash = strrchr(name, '/');
	const char *ending = strrchr(slash ? slash : name, '.');

	for (size_t i = 0; ending && i < sizeof(foreign) / sizeof(*foreign); i++) {
		if (strcasecmp(ending, foreign[i]) == 0)
			return ending;
	}
	return NULL;
}
