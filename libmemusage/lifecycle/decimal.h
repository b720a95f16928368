/* decimal.h -- numbers in the names of files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#define DECIMAL_BYTES 24

/* format_decimal -- write a number in decimal digits.
 *
 * buffer  DECIMAL_BYTES of the caller's.
 * Returns the text, somewhere in the buffer. Async-signal-safe.
 */
static inline const char *format_decimal(char buffer[DECIMAL_BYTES], uint64_t value)
{
	char *end = buffer + DECIMAL_BYTES - 1;

	*end = '\0';
	do
		*--end = (char)('0' + value % 10);
	while (value /= 10);
	return end;
}
