/* recorder_memory.c -- The memory that the recorder has in a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/recorder_memory.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { MAPPINGS_MAX = 1 << 16 };

void recorder_memory_read(struct recorder_memory *m, const struct snapshot *s)
{
	uint64_t list[2]; /* address, count */
	size_t size;

	*m = (struct recorder_memory){ .count = 0 };
	if (address_space_read(&s->space, s->examined.own, list, sizeof(list)) != sizeof(list))
		return;
	if (list[1] > MAPPINGS_MAX)
		list[1] = MAPPINGS_MAX;
	size = list[1] * sizeof(*m->mapping);
	m->mapping = xmalloc(size);
	m->count = (uint32_t)(address_space_read(&s->space, list[0], m->mapping, size) /
			      sizeof(*m->mapping));
}

void recorder_memory_free(struct recorder_memory *m)
{
	free(m->mapping);
	*m = (struct recorder_memory){ .count = 0 };
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

bool recorder_memory_is_file(const struct area *a)
{
	const char *base = strrchr(a->name, '/');

	return base && (begins_with(base, "/libmemusage") ||
			begins_with(a->name, "/memfd:memusage"));
}
