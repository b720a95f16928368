/* recorder_string.c -- the recorder's string functions give what libc's give, for all small texts,
 * lengths and overlaps, and touch no byte more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>
#include <strings.h>

#include "tests/lib/tap.h"

/* Under other names: the test itself has libc's. */
#define EACH(X) \
	X(memcpy) X(memset) X(memmove) X(memcmp) X(bcmp) X(memchr) X(strlen) X(strnlen) X(strcmp) \
	X(strncmp) X(strchr) X(strrchr) X(strstr) X(stpcpy) X(strcpy) X(strncpy) X(strcat)
#define DECLARE(name) static __typeof__(name) own_##name;
EACH(DECLARE)
/* glibc 2.43 has these as macros. */
#undef memchr
#undef strchr
#undef strrchr
#undef strstr
#define memcpy own_memcpy
#define memset own_memset
#define memmove own_memmove
#define memcmp own_memcmp
#define bcmp own_bcmp
#define memchr own_memchr
#define strlen own_strlen
#define strnlen own_strnlen
#define strcmp own_strcmp
#define strncmp own_strncmp
#define strchr own_strchr
#define strrchr own_strrchr
#define strstr own_strstr
#define stpcpy own_stpcpy
#define strcpy own_strcpy
#define strncpy own_strncpy
#define strcat own_strcat
#include "libmemusage/base/string.c"
#undef memcpy
#undef memset
#undef memmove
#undef memcmp
#undef bcmp
#undef memchr
#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr
#undef strstr
#undef stpcpy
#undef strcpy
#undef strncpy
#undef strcat

enum { ROOM = 64, TEXTS = 364, LETTERS = 3, LONGEST = 5 };

/* gcc warns of texts that are cut. */
static __typeof__(&strncpy) volatile libc_strncpy = strncpy;

static unsigned wrong;
static char texts[TEXTS][LONGEST + 1];

/* All texts of up to five letters, one of which is negative as a char. */
static void make_texts(void)
{
	static const char letters[LETTERS] = { 'a', 'b', (char)0xe9 };
	unsigned count = 0;

	for (unsigned length = 0, all = 1; length <= LONGEST; length++, all *= LETTERS) {
		for (unsigned i = 0; i < all; i++, count++) {
			unsigned rest = i;
			for (unsigned k = 0; k < length; k++, rest /= LETTERS)
				texts[count][k] = letters[rest % LETTERS];
		}
	}
	EQ_U(count, TEXTS);
}

static int sign(int value)
{
	return (value > 0) - (value < 0);
}

static void differ(const char *what, unsigned i, unsigned k)
{
	if (!wrong++)
		FAIL("%s of %u, %u", what, i, k);
}

static void test_pair(unsigned i, unsigned k)
{
	const char *a = texts[i], *b = texts[k];

	if (sign(own_strcmp(a, b)) != sign(strcmp(a, b)))
		differ("strcmp", i, k);
	for (size_t n = 0; n <= LONGEST; n++)
		if (sign(own_strncmp(a, b, n)) != sign(strncmp(a, b, n)) ||
		    sign(own_memcmp(a, b, n)) != sign(memcmp(a, b, n)) ||
		    !own_bcmp(a, b, n) != !memcmp(a, b, n))
			differ("strncmp, memcmp", i, k);
	if (own_strstr(a, b) != strstr(a, b))
		differ("strstr", i, k);
}

static void test_text(unsigned i)
{
	const char *text = texts[i];
	const int wanted[] = { 'a', 'b', 0xe9, (char)0xe9, 'z', 0, 256 + 'a' };

	if (own_strlen(text) != strlen(text))
		differ("strlen", i, 0);
	for (unsigned k = 0; k < sizeof(wanted) / sizeof(*wanted); k++) {
		int c = wanted[k];
		if (own_strchr(text, c) != strchr(text, c) ||
		    own_strrchr(text, c) != strrchr(text, c) ||
		    own_memchr(text, c, LONGEST + 1) != memchr(text, c, LONGEST + 1))
			differ("strchr, strrchr, memchr", i, k);
	}
	for (size_t n = 0; n <= LONGEST + 2; n++)
		if (own_strnlen(text, n) != strnlen(text, n))
			differ("strnlen", i, (unsigned)n);
}

/* Copies into the middle of a room whose other bytes must stay. */
static void test_copies(unsigned i)
{
	char mine[ROOM], theirs[ROOM];

	memset(mine, '.', ROOM);
	memset(theirs, '.', ROOM);
	if (own_stpcpy(mine + 3, texts[i]) - mine != stpcpy(theirs + 3, texts[i]) - theirs ||
	    own_strcat(mine + 3, "tail") != mine + 3 || !strcat(theirs + 3, "tail") ||
	    own_strcpy(mine + 31, texts[i]) != mine + 31 || !strcpy(theirs + 31, texts[i]) ||
	    memcmp(mine, theirs, ROOM))
		differ("strcpy, stpcpy, strcat", i, 0);
	for (size_t n = 0; n <= 2 * LONGEST; n++) {
		own_strncpy(mine + 50, texts[i], n);
		libc_strncpy(theirs + 50, texts[i], n);
		if (memcmp(mine, theirs, ROOM))
			differ("strncpy", i, (unsigned)n);
	}
}

static void fill(char *room)
{
	for (int i = 0; i < ROOM; i++)
		room[i] = (char)(i * 37 + 1);
}

/* Every place, length and overlap. */
static void test_bytes(void)
{
	char mine[ROOM], theirs[ROOM];

	for (unsigned length = 0; length <= 28; length++) {
		for (unsigned to = 0; to + length <= ROOM; to++) {
			for (unsigned from = 0; from + length <= ROOM; from++) {
				fill(mine);
				fill(theirs);
				if (own_memmove(mine + to, mine + from, length) != mine + to)
					differ("memmove's result", to, from);
				memmove(theirs + to, theirs + from, length);
				if (memcmp(mine, theirs, ROOM))
					differ("memmove", to, from);
			}
			own_memset(mine + to, 0x1e9, length);
			memset(theirs + to, 0xe9, length);
			own_memcpy(mine + to, texts, length);
			memcpy(theirs + to, texts, length);
			own_memset(mine + to, 7, length / 2);
			memset(theirs + to, 7, length / 2);
			if (memcmp(mine, theirs, ROOM))
				differ("memset, memcpy", to, length);
		}
	}
}

int main(void)
{
	make_texts();
	for (unsigned i = 0; i < TEXTS; i++) {
		test_text(i);
		test_copies(i);
		for (unsigned k = 0; k < TEXTS; k++)
			test_pair(i, k);
	}
	test_bytes();
	EQ_U(wrong, 0);
	return done_testing();
}
