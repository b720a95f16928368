/* objects.c -- loaded objects and their program headers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/objects.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "recording/recording.h"

/* The executable's program headers, as the kernel told ld.so. */
static struct {
	const ElfW(Phdr) * part;
	unsigned int parts;
} executable;

void objects_init(void)
{
	if (getauxval(AT_PHENT) != sizeof(ElfW(Phdr)))
		return;
	executable.parts = (unsigned int)getauxval(AT_PHNUM);
	executable.part = (const void *)getauxval(AT_PHDR);
}

/* The executable's are where the kernel says. Others begin with their ELF header at the load
 * address: linkers give the first segment address 0. */
static bool find_program_headers(struct object *object)
{
	const ElfW(Ehdr) *header = (const void *)object->map->l_addr;

	if (object->map == _r_debug.r_map) {
		object->part = executable.part;
		object->parts = executable.parts;
		return executable.part;
	}
	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_phentsize != sizeof(ElfW(Phdr)) ||
	    header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > MU_PAGE)
		return false;
	object->part = (const void *)((const uint8_t *)header + header->e_phoff);
	object->parts = header->e_phnum;
	return true;
}

bool object_read(const struct link_map *map, struct object *object)
{
	*object = (struct object){ .map = map, .start = UINT64_MAX };
	if (!find_program_headers(object))
		return false;
	for (unsigned int i = 0; i < object->parts; i++) {
		const ElfW(Phdr) *part = &object->part[i];
		uint64_t start = map->l_addr + part->p_vaddr;
		uint64_t end = (start + part->p_memsz + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
		if (part->p_type != PT_LOAD)
			continue;
		if (start < object->start)
			object->start = start & -(uint64_t)MU_PAGE;
		if (end > object->end)
			object->end = end;
	}
	return object->end != 0;
}

const struct r_debug *objects_next_namespace(const struct r_debug *space)
{
	/* Source: struct r_debug_extended of <link.h> since glibc 2.35. */
	return space->r_version < 2 ? NULL : *(const struct r_debug *const *)(space + 1);
}

bool objects_are_changing(void)
{
	const struct r_debug *space = &_r_debug;

	while (space && space->r_state == RT_CONSISTENT)
		space = objects_next_namespace(space);
	return space;
}

bool object_of(uint64_t address, struct object *object)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
		if (object_read(map, object) && address >= object->start && address < object->end)
			return true;
	return false;
}

int object_flags(const struct object *object, uint64_t address)
{
	for (unsigned int i = 0; i < object->parts; i++) {
		const ElfW(Phdr) *part = &object->part[i];
		if (part->p_type == PT_LOAD &&
		    address - object->map->l_addr - part->p_vaddr < part->p_memsz)
			return (int)part->p_flags;
	}
	return -1;
}

const uint8_t *object_tables(const struct object *object)
{
	for (unsigned int i = 0; i < object->parts; i++) {
		const ElfW(Phdr) *part = &object->part[i];
		uint64_t start = object->map->l_addr + part->p_vaddr;
		if (part->p_type == PT_GNU_EH_FRAME && object_flags(object, start) >= 0)
			return (const uint8_t *)start;
	}
	return NULL;
}
