/* image.c -- a recording that a hostile program has written, read in every way we have.
 *
 * The input is the start of a recording of any kind; behind it come zeros, as in a sparse file.
 * What is read must stay within it and come to an end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 256 << 10 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *memory = aligned_alloc(4096, ROOM);

	memset(memory, 0, ROOM);
	memcpy(memory, data, size < ROOM ? size : ROOM);
	readers_run(memory, ROOM, READERS_ALL);
	free(memory);
	return 0;
}
