/* mapping.c -- maps a page and unmaps it again, N times.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 100000;

	for (long i = 0; i < count; i++) {
		void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED || munmap(page, 4096))
			return 1;
	}
	return 0;
}
