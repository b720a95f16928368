/* string.c -- the string functions that compilers call, without vector registers.
 *
 * An event can be recorded in the middle of a function whose caller relies on its registers
 * being as they were (docs/design.md, "Patching"). So the recorder is compiled for general
 * registers only, and must not leave that to libc's memcpy. Lengths are small; for long ones
 * `rep movsb` is as fast as anything.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
	void *result = to;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
	return result;
}

void *memmove(void *to, const void *from, size_t length)
{
	void *result = to;

	if ((uintptr_t)to - (uintptr_t)from >= length)
		return memcpy(to, from, length);
	to = (char *)to + length - 1;
	from = (const char *)from + length - 1;
	__asm__ volatile("std; rep movsb; cld" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
	return result;
}

void *memset(void *to, int value, size_t length)
{
	void *result = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(length) : "a"(value) : "memory");
	return result;
}

int memcmp(const void *a, const void *b, size_t length)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < length; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

size_t strlen(const char *text)
{
	const char *end = text;

	while (*end) {
		__asm__ volatile("" : "+r"(end)); /* or this becomes a call of strlen */
		end++;
	}
	return (size_t)(end - text);
}
