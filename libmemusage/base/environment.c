/* environment.c -- variables of the environment without getenv().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/environment.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

const char *environment_value(const char *name)
{
	size_t length = strlen(name);

	for (char **entry = environ; entry && *entry; entry++)
		if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}
