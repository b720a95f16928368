/* CFLAGS: -O0 -fno-inline */
/* massif_names.c -- names of functions of any length.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

/* A name of 2560 characters. */
#define JOIN(a, b) a##b
#define J(a, b) JOIN(a, b)
#define N64 a_function_whose_name_is_as_long_as_those_of_generated_code_are_
#define N128 J(N64, N64)
#define N256 J(N128, N128)
#define N512 J(N256, N256)
#define N1024 J(N512, N512)
#define N2560 J(N1024, J(N1024, N512))

static void *N2560(size_t n) { return malloc(n); }
static void *N512(size_t n) { return N2560(n); }
static void *f(size_t n) { return N512(n); }

int main(void)
{
	for (int i = 0; i < 5; i++)
		f(800);
	return 0;
}
