/* string.c -- the string functions that the recorder calls, without vector registers.
 *
 * An event can be recorded in the middle of a function whose caller relies on unchanged registers
 * (docs/design.md, "Patching"). So the recorder is compiled for general registers only, and calls
 * no string function of libc, which chooses a version by the CPU: those for AVX2 use the registers
 * that the program has in use, those for AVX-512 others. These functions have libc's names, because
 * compilers insert calls of them. They are hidden: the program keeps its own, and cannot replace
 * these. Lengths are small; for long ones `rep movsb` is as fast as anything.
 *
 * Compiled with -fno-builtin and without the recognition of loops, which would make each of these
 * functions a call of itself (GNUmakefile).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* A name in parentheses is never that of a macro with arguments: glibc has such macros for four of
 * these functions, which keep the const of an argument. Source  glibc 2.43, string.h, for C23. */

/* ---- bytes --------------------------------------------------------------------------------- */

#if defined(__x86_64__)

static void copy_ascending(void *to, const void *from, size_t length)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
}

static void copy_descending(void *to, const void *from, size_t length)
{
	to = (char *)to + length - 1;
	from = (const char *)from + length - 1;
	__asm__ volatile("std; rep movsb; cld" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
}

void *memset(void *to, int value, size_t length)
{
	void *result = to;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(length) : "a"(value) : "memory");
	return result;
}

#else

/* May lie anywhere, and be of any type. */
struct word {
	uint64_t value;
} __attribute__((packed, may_alias));

static void copy_ascending(void *to, const void *from, size_t length)
{
	char *out = to;
	const char *in = from;

	for (; length >= sizeof(struct word); length -= sizeof(struct word)) {
		((struct word *)out)->value = ((const struct word *)in)->value;
		out += sizeof(struct word);
		in += sizeof(struct word);
	}
	while (length--)
		*out++ = *in++;
}

static void copy_descending(void *to, const void *from, size_t length)
{
	char *out = to;
	const char *in = from;

	while (length--)
		out[length] = in[length];
}

void *memset(void *to, int value, size_t length)
{
	char *out = to;
	uint64_t all = (unsigned char)value * UINT64_C(0x0101010101010101);

	for (; length >= sizeof(struct word); length -= sizeof(struct word)) {
		((struct word *)out)->value = all;
		out += sizeof(struct word);
	}
	while (length--)
		*out++ = (char)value;
	return to;
}

#endif

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
	copy_ascending(to, from, length);
	return to;
}

void *memmove(void *to, const void *from, size_t length)
{
	if ((uintptr_t)to - (uintptr_t)from >= length)
		copy_ascending(to, from, length);
	else
		copy_descending(to, from, length);
	return to;
}

int memcmp(const void *a, const void *b, size_t length)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < length; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

/* clang calls this for a memcmp() whose result is compared with 0. */
int bcmp(const void *a, const void *b, size_t length)
{
	return memcmp(a, b, length);
}

void *(memchr)(const void *in, int c, size_t length)
{
	const unsigned char *at = in;

	for (; length; length--, at++)
		if (*at == (unsigned char)c)
			return (void *)at;
	return NULL;
}

/* ---- texts --------------------------------------------------------------------------------- */

size_t strlen(const char *text)
{
	const char *end = text;

	while (*end)
		end++;
	return (size_t)(end - text);
}

size_t strnlen(const char *text, size_t most)
{
	size_t length = 0;

	while (length < most && text[length])
		length++;
	return length;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t most)
{
	size_t i = 0;

	while (i < most && a[i] && a[i] == b[i])
		i++;
	return i == most ? 0 : (unsigned char)a[i] - (unsigned char)b[i];
}

char *(strchr)(const char *text, int c)
{
	for (; *text != (char)c; text++)
		if (!*text)
			return NULL;
	return (char *)text;
}

char *(strrchr)(const char *text, int c)
{
	const char *found = NULL;

	for (;; text++) {
		if (*text == (char)c)
			found = text;
		if (!*text)
			return (char *)found;
	}
}

char *(strstr)(const char *text, const char *what)
{
	size_t length = strlen(what);

	for (; *text || !length; text++)
		if (!strncmp(text, what, length))
			return (char *)text;
	return NULL;
}

/* Returns the end: compilers call it instead of strcpy() and strlen(). */
char *stpcpy(char *restrict to, const char *restrict from)
{
	size_t length = strlen(from);

	memcpy(to, from, length + 1);
	return to + length;
}

char *strcpy(char *restrict to, const char *restrict from)
{
	stpcpy(to, from);
	return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
	size_t length = strnlen(from, size);

	memcpy(to, from, length);
	memset(to + length, 0, size - length);
	return to;
}

char *strcat(char *restrict to, const char *restrict from)
{
	stpcpy(to + strlen(to), from);
	return to;
}
