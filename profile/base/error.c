/* error.c -- Errors of profile/ and formats/.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int mu_error_set(struct mu_error *err, enum mu_error_code code, uint64_t offset,
		 const char *format, ...)
{
	va_list args;
	int length;

	if (!err)
		return -1;
	err->code = code;
	err->offset = offset;
	va_start(args, format);
	length = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (length >= (int)sizeof(err->text))
		memcpy(err->text + sizeof(err->text) - 4, "...", 4);
	return -1;
}

int mu_error_memory(struct mu_error *err)
{
	return mu_error_set(err, MU_ERROR_MEMORY, 0, "out of memory");
}
