/* CFLAGS: -O0 -fno-inline */
/* massif_replaced.cc -- operators of C++ that the program replaces: they take from malloc, or, with
 * an argument, give out the same buffer again and again. Prints what the program saw.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstdio>
#include <cstdlib>
#include <new>

static bool is_constant;
static long buffer[512];

void *operator new(std::size_t n)
{
	return is_constant ? buffer : malloc(n);
}

void *operator new[](std::size_t n)
{
	return is_constant ? buffer : malloc(n);
}

void operator delete(void *p) noexcept
{
	if (!is_constant)
		free(p);
}

void operator delete[](void *p) noexcept
{
	if (!is_constant)
		free(p);
}

struct pair {
	long a, b;
};

int main(int argc, char **)
{
	is_constant = argc > 1;
	pair *one = new pair;
	pair *many = new pair[20];
	char *text = new char[300];

	fprintf(stderr, "%s\n", static_cast<void *>(one) == static_cast<void *>(text) ?
		"the program's" : "a block each");
	delete one;
	delete[] many;
	delete[] text;
	return 0;
}
