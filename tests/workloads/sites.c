/* sites.c -- allocates from many places: chains of callers, recursion, wrappers, growth and peaks,
 * one place of which is small enough to fall below a threshold.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

static void *wrapped(size_t size)
{
	return malloc(size);
}

static void *shallow(size_t size)
{
	return wrapped(size);
}

static void *recursive(unsigned depth, size_t size)
{
	return depth == 0 ? shallow(size) : recursive(depth - 1, size);
}

static void *grown(size_t size)
{
	void *p = calloc(1, 10);

	return realloc(p, size);
}

static void peak(size_t size)
{
	void *p = recursive(3, size), *q = malloc(size / 2);

	free(p);
	free(q);
}

static void small(void)
{
	static void *kept;

	free(kept);
	kept = malloc(1);
}

int main(void)
{
	void *kept[60];

	for (unsigned i = 0; i < 60; i++) {
		kept[i] = i % 3 == 0 ? shallow(100 * i) : i % 3 == 1 ? grown(50 * i) :
						       recursive(i % 7, 10 * i);
		if (i % 10 == 9)
			peak(1000 * i);
		small();
	}
	for (unsigned i = 0; i < 60; i += 2)
		free(kept[i]);
	return 0;
}
