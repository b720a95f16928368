/* enclosing_symbols.c -- Which variable or function of a file an address is in.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/enclosing_symbols.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "profile/base/array.h"

#define LOOKS_FOR_ALL UINT64_C(1000000)
enum { LOOKS_PER_HIT = 64 };

struct search {
	struct enclosing_hit *hit;
	size_t count;
	enum enclosing_kind kind;
	uint64_t looks; /* that may still be made at a hit */
};

static bool is_wanted(const struct search *s, const struct elf_symbol *symbol)
{
	switch (s->kind) {
	case ENCLOSING_VARIABLE:
		return symbol->type == STT_OBJECT || symbol->type == STT_COMMON;
	case ENCLOSING_TLS:
		return symbol->type == STT_TLS;
	case ENCLOSING_FUNCTION:
		return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
	}
	return false;
}

/* Global names are meant to be seen, weak ones stand for others. */
static unsigned int order_of_binding(uint8_t binding)
{
	return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static bool is_better(const struct elf_symbol *symbol, const struct enclosing_hit *than)
{
	if (!than->name || symbol->address != than->start)
		return !than->name || symbol->address > than->start;
	if (symbol->size != than->size)
		return symbol->size < than->size;
	if (order_of_binding(symbol->binding) != order_of_binding(than->binding))
		return order_of_binding(symbol->binding) < order_of_binding(than->binding);
	return strcmp(symbol->name, than->name) < 0;
}

static void offer_symbol(const struct elf_symbol *symbol, void *data)
{
	struct search *s = data;
	size_t i;

	if (!is_wanted(s, symbol) || symbol->size == 0)
		return;
	i = array_first_from(s->hit, s->count, sizeof(*s->hit),
			     offsetof(struct enclosing_hit, address), symbol->address);
	for (; i < s->count && s->hit[i].address - symbol->address < symbol->size && s->looks > 0;
	     i++, s->looks--) {
		struct enclosing_hit *hit = &s->hit[i];

		if (!is_better(symbol, hit))
			continue;
		hit->start = symbol->address;
		hit->size = symbol->size;
		hit->name = symbol->name;
		hit->binding = symbol->binding;
	}
}

void enclosing_symbols_find(const struct elf_file *f, enum enclosing_kind kind,
			    struct enclosing_hit *hit, size_t count)
{
	struct search s = { .hit = hit, .count = count, .kind = kind,
			    .looks = LOOKS_FOR_ALL + LOOKS_PER_HIT * (uint64_t)count };

	elf_file_symbols(f, SHT_SYMTAB, offer_symbol, &s);
	elf_file_symbols(f, SHT_DYNSYM, offer_symbol, &s);
}
