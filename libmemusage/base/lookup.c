/* lookup.c -- finding functions without dlsym.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/lookup.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VERSION_HIDDEN 0x8000u /* not the default one */

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

struct symbol_tables {
	uintptr_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash;
	const uint32_t *hash; /* of old linkers */
	const ElfW(Half) * versions;
};

/* ld.so has turned the entries into addresses, but not those of the vdso. */
static const void *dynamic_address(const struct link_map *object, const ElfW(Dyn) * entry)
{
	uintptr_t value = entry->d_un.d_ptr;

	return (const void *)(value < object->l_addr ? value + object->l_addr : value);
}

static struct symbol_tables read_symbol_tables(const struct link_map *object)
{
	struct symbol_tables t = { .base = object->l_addr };

	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			t.symbols = dynamic_address(object, entry);
		else if (entry->d_tag == DT_STRTAB)
			t.strings = dynamic_address(object, entry);
		else if (entry->d_tag == DT_GNU_HASH)
			t.gnu_hash = dynamic_address(object, entry);
		else if (entry->d_tag == DT_HASH)
			t.hash = dynamic_address(object, entry);
		else if (entry->d_tag == DT_VERSYM)
			t.versions = dynamic_address(object, entry);
	}
	return t;
}

static bool is_exported_function(const struct symbol_tables *t, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &t->symbols[index];
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       !(t->versions && t->versions[index] & VERSION_HIDDEN) &&
	       !strcmp(t->strings + symbol->st_name, name);
}

/* Both return the index of the symbol, 0 if there is none. */

static uint32_t search_gnu_hash(const struct symbol_tables *t, const char *name)
{
	const uint32_t *header = t->gnu_hash; /* buckets, first symbol, bloom words, shift */
	const uint32_t *buckets = header + 4 + header[2] * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chains = buckets + header[0];
	uint32_t hash = 5381;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	uint32_t index = header[0] ? buckets[hash % header[0]] : 0;
	if (index < header[1] || !index)
		return 0;
	for (;; index++) {
		uint32_t seen = chains[index - header[1]];
		if ((seen | 1) == (hash | 1) && is_exported_function(t, index, name))
			return index;
		if (seen & 1)
			return 0;
	}
}

static uint32_t search_all_symbols(const struct symbol_tables *t, const char *name)
{
	/* The numbers of buckets and symbols come first. A search of all symbols is fast enough. */
	for (uint32_t index = 1; index < t->hash[1]; index++)
		if (is_exported_function(t, index, name))
			return index;
	return 0;
}

static uint32_t find_symbol_index(const struct symbol_tables *t, const char *name)
{
	if (!t->symbols || !t->strings)
		return 0;
	if (t->gnu_hash)
		return search_gnu_hash(t, name);
	return t->hash ? search_all_symbols(t, name) : 0;
}

/* Returns the address of a symbol. *is_chooser: it is an ifunc, which returns the address. */
static uintptr_t find_symbol_address(const struct link_map *object, const char *name,
				     bool *is_chooser)
{
	struct symbol_tables t = read_symbol_tables(object);
	uint32_t index = find_symbol_index(&t, name);

	if (!index)
		return 0;
	*is_chooser = ELF64_ST_TYPE(t.symbols[index].st_info) == STT_GNU_IFUNC;
	return t.base + t.symbols[index].st_value;
}

bool lookup_sized(const struct link_map *object, const char *name, uint64_t *address,
		  uint64_t *size)
{
	struct symbol_tables t = read_symbol_tables(object);
	uint32_t index = find_symbol_index(&t, name);

	if (!index || ELF64_ST_TYPE(t.symbols[index].st_info) != STT_FUNC ||
	    !t.symbols[index].st_size)
		return false;
	*address = t.base + t.symbols[index].st_value;
	*size = t.symbols[index].st_size;
	return true;
}

void *lookup_in(const struct link_map *object, const char *name)
{
	bool is_chooser;

	return (void *)find_symbol_address(object, name, &is_chooser);
}

const struct link_map *lookup_object(const char *name)
{
	const struct link_map *object = _r_debug.r_map;

	while (object && !lookup_in(object, name))
		object = object->l_next;
	return object;
}

const struct link_map *lookup_self(void)
{
	const struct link_map *object = _r_debug.r_map;

	while (object && object->l_ld != _DYNAMIC)
		object = object->l_next;
	return object;
}

const struct link_map *lookup_next_object(const char *name)
{
	const struct link_map *object = lookup_self();

	do
		object = object ? object->l_next : NULL;
	while (object && !lookup_in(object, name));
	return object;
}

void *lookup_next(const char *name)
{
	const struct link_map *object = lookup_next_object(name);
	bool is_chooser;
	uintptr_t address = object ? find_symbol_address(object, name, &is_chooser) : 0;

	if (address && is_chooser)
		address = ((uintptr_t(*)(void))address)();
	return (void *)address;
}
