/* symtab.c -- which symbol of a symbol table covers an address.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/symtab.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "profile/base/array.h"

static bool is_candidate_symbol(const struct symtab *t, const struct elf_symbol *symbol)
{
	if (symbol->type != STT_FUNC && symbol->type != STT_OBJECT &&
	    symbol->type != STT_GNU_IFUNC)
		return false;
	return symbol->binding <= STB_WEAK && symbol->size > 0 && symbol->address > 0 &&
	       elf_file_is_code(t->code, symbol->address);
}

/* Returns the first address from FROM on. */
static size_t first_index_from(const struct symtab *t, uint64_t from)
{
	return array_first_from(t->hit, t->count, sizeof(*t->hit),
				offsetof(struct symtab_hit, address), from);
}

void symtab_offer_start(struct symtab *t, const struct elf_symbol *symbol)
{
	size_t i = first_index_from(t, symbol->address);

	if (i < t->count && t->hit[i].start < symbol->address && is_candidate_symbol(t, symbol))
		t->hit[i].start = symbol->address;
}

void symtab_settle(struct symtab *t)
{
	for (size_t i = 1; i < t->count; i++)
		if (t->hit[i].start < t->hit[i - 1].start)
			t->hit[i].start = t->hit[i - 1].start;
}

/* Tells whether A is the better name of two for the same range. */
static bool is_better_name(const char *a, const char *b)
{
	size_t a_length = strcspn(a, "@"), b_length = strcspn(b, "@");
	int order;

	if (a_length != b_length)
		return a_length < b_length;
	if (!a[a_length] != !b[b_length])
		return a[a_length] != '\0';
	order = strncmp(a, b, a_length);
	return order ? order < 0 : strcmp(a, b) < 0;
}

void symtab_offer_name(struct symtab *t, const struct elf_symbol *symbol)
{
	size_t i = first_index_from(t, symbol->address);

	if (i == t->count || t->hit[i].start != symbol->address || !is_candidate_symbol(t, symbol))
		return;
	for (; i < t->count && t->hit[i].start == symbol->address &&
	       t->hit[i].address - symbol->address < symbol->size; i++) {
		struct symtab_hit *hit = &t->hit[i];

		if (!hit->name || symbol->size < hit->size ||
		    (symbol->size == hit->size && is_better_name(symbol->name, hit->name))) {
			hit->name = symbol->name;
			hit->size = symbol->size;
		}
	}
}
