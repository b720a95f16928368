/* copies.c -- copies that are known to the last byte, by every function that copies.
 *
 * Prints "truth FUNCTION calls=N bytes=N" for what the program itself calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <wchar.h>

#include "tests/lib/workload.h"

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);

static char a[1000], b[1000];
static wchar_t wide_a[64], wide_b[64];
static long bytes, calls;

static void did(long n)
{
	bytes += n;
	calls++;
}

static void plain(void)
{
	memcpy(a, b, 1000), did(1000);
	memmove(a + 1, a, 900), did(900);
	mempcpy(a, b, 800), did(800);
	bcopy(b, a, 700), did(700);
	memcpy(a, b, 0), did(0);
	strcpy(a, b), did(401);
	stpcpy(a, b), did(401);
	strncpy(a, b, 999), did(401);
	strncpy(a, b, 200), did(200);
	stpncpy(a, b, 999), did(401);
	wcscpy(wide_a, wide_b), did(21 * 4);
	wcpcpy(wide_a, wide_b), did(21 * 4);
	wcsncpy(wide_a, wide_b, 60), did(21 * 4);
	wcpncpy(wide_a, wide_b, 60), did(21 * 4);
}

static void checked(void)
{
	__memcpy_chk(a, b, 100, 1000), did(100);
	__memmove_chk(a, b, 101, 1000), did(101);
	__mempcpy_chk(a, b, 102, 1000), did(102);
	__strcpy_chk(a, b, 1000), did(401);
	__stpcpy_chk(a, b, 1000), did(401);
	__strncpy_chk(a, b, 300, 1000), did(300);
	__stpncpy_chk(a, b, 999, 1000), did(401);
	__wcscpy_chk(wide_a, wide_b, 64), did(21 * 4);
	__wmemcpy_chk(wide_a, wide_b, 12, 64), did(12 * 4);
}

/* These copy by others, inside the C library. */
static void inside(void)
{
	wmemcpy(wide_a, wide_b, 10), did(40);
	wmemmove(wide_a, wide_b, 11), did(44);
	memccpy(a, b, 'q', 300), did(300);
	memccpy(a, b, 'x', 300), did(1);
	free(strdup(b)), did(401);
	free(strndup(b, 50)), did(50);
	free(wcsdup(wide_b)), did(21 * 4);
}

/* Nothing of this is a copy: realloc moves, the others fill or join. */
static void none(void)
{
	char *block = malloc(100);

	block = realloc(block, 200000);
	free(block);
	memset(a, 7, sizeof(a));
	a[0] = '\0';
	strcat(a, b);
}

static void handler(int signal)
{
	(void)signal;
	memcpy(a, b, 11);
}

/* glibc's printf copies, too, since 2.37: before the line is written all must be counted. */
static void print_number(const char *name, long value)
{
	char line[80], digits[20];
	int length = 0, count = 0;

	while (*name)
		line[length++] = *name++;
	do
		digits[count++] = '0' + value % 10;
	while (value /= 10);
	while (count)
		line[length++] = digits[--count];
	write(1, line, length);
}

int main(void)
{
	memset(b, 'x', 400);
	wmemset(wide_b, L'w', 20);
	plain();
	checked();
	inside();
	none();
	signal(SIGUSR1, handler);
	raise(SIGUSR1), did(11);
	print_number("truth copies calls=", calls);
	print_number(" bytes=", bytes);
	write(1, "\n", 1);
	return 0;
}
