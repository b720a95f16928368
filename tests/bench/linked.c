/* linked.c -- A process with very many blocks, each with two pointers to others.
 *
 *	linked BLOCKS BYTES [random]
 *
 * The pointers lead to the block before and to one in the middle, or to any ones. All blocks are
 * reached from a variable. Prints "ready", and ends with its input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct node {
	struct node *left, *right;
};

static struct node *last;

static uint64_t next_random(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 33;
}

/* The list of all blocks is no root afterwards. */
static bool make_blocks(size_t count, size_t bytes, bool is_random)
{
	const size_t length = count * sizeof(last);
	struct node **all = mmap(NULL, length, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (all == MAP_FAILED)
		return false;
	for (size_t i = 0; i < count; i++) {
		struct node *n = malloc(bytes);

		if (!n)
			return false;
		memset(n, 0, bytes);
		n->left = i > 0 ? all[i - 1] : NULL;
		if (i > 0)
			n->right = all[is_random ? next_random() % i : i / 2];
		all[i] = n;
	}
	last = all[count - 1];
	return munmap(all, length) == 0;
}

int main(int argc, char **argv)
{
	const size_t count = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	const size_t bytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	char line[16];

	if (count == 0 || bytes < sizeof(*last) || !make_blocks(count, bytes, argc > 3))
		return 2;
	puts("ready");
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) == NULL && last == NULL;
}
