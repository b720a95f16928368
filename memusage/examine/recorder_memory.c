/* recorder_memory.c -- The memory that the recorder has in a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/recorder_memory.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/examine/object_headers.h"

enum { MAPPINGS_MAX = 1 << 16 };
#define PAGE UINT64_C(4096)

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

/* Returns the end of an object that begins there, as its headers tell; 0 if they do not. */
static uint64_t find_object_end(const struct address_space *s, uint64_t start)
{
	ElfW(Phdr) part[OBJECT_HEADERS_MOST];
	const unsigned int count = object_headers_read(s, start, part);
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (part[i].p_type == PT_LOAD && part[i].p_vaddr + part[i].p_memsz > bytes)
			bytes = part[i].p_vaddr + part[i].p_memsz;
	}
	return bytes ? start + bytes : 0;
}

static bool is_nameless_data(const struct area *a)
{
	return !a->name[0] && a->flags & AREA_WRITE;
}

uint64_t recorder_memory_data_end(const struct address_space *s, const struct area *a)
{
	const struct area *first = a, *file;
	uint64_t end;

	while (is_nameless_data(first) && first > s->area && first[-1].end == first->start)
		first--;
	if (first == a || !recorder_memory_is_file(first))
		return a->start;
	for (file = first; file > s->area && file[-1].end == file->start &&
			   strcmp(file[-1].name, first->name) == 0; file--)
		;
	end = find_object_end(s, file->start);
	if (end == 0)
		return a == first + 1 ? a->end : a->start;
	end = (end + PAGE - 1) & -PAGE;
	return end < a->start ? a->start : end < a->end ? end : a->end;
}
