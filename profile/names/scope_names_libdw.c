/* scope_names_libdw.c -- Names of C++ functions with the scopes around them, from DWARF.
 *
 * Source DWARF 5, sections 3.3.8 (inlined subroutines), 5.7 (structures), 2.13 (declarations).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/names/scope_names.h"

#include <dwarf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum {
	DEPTH_MAX = 300,	/* nested entries */
	SCOPES_MAX = 32,	/* of one name */
	NAME_MAX_BYTES = 4096,
	LINKS_MAX = 8,		/* from a concrete function to its declaration */
	READ_MOST = 4 << 20,	/* entries, about a second: a file may lead to and fro */
	LANG_C_PLUS_PLUS_17 = 0x2a,	/* DWARF 6, not in every dwarf.h */
	LANG_C_PLUS_PLUS_20 = 0x2b
};

struct scope_entry {
	Dwarf_Off offset;
	uint32_t parent;	/* 0: the unit */
	uint32_t lambdas;	/* in it, so far */
	uint32_t lambda;	/* its own number, from 1; 0: it is none */
	int tag;
	const char *name;
};

static bool is_cplusplus(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_C_PLUS_PLUS_17:
	case LANG_C_PLUS_PLUS_20:
		return true;
	default:
		return false;
	}
}

static const char *name_of_die(Dwarf_Die *die)
{
	Dwarf_Attribute at;

	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &at));
}

/* ---- the scopes of a unit ----------------------------------------------------------------- */

static bool is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Blocks have no name, but may hold scopes. */
static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

/* The class of a lambda has no name, or "<lambda()>", and an operator() that the compiler made. */
static void note_lambda(struct scope_names *s, uint32_t class, Dwarf_Die *die, const char *name)
{
	struct scope_entry *c = &s->entry[class];
	Dwarf_Attribute at;

	if (class == 0 || c->lambda > 0 || !name || strcmp(name, "operator()") != 0 ||
	    c->tag == DW_TAG_namespace || c->tag == DW_TAG_subprogram ||
	    (c->name && strncmp(c->name, "<lambda", 7) != 0) ||
	    !dwarf_attr(die, DW_AT_artificial, &at))
		return;
	c->lambda = ++s->entry[c->parent].lambdas;
}

static bool read_child_scopes(struct scope_names *s, Dwarf_Die *parent, uint32_t around, int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return true;
	do {
		int tag = dwarf_tag(&die);
		uint32_t scope = around;

		if (++s->read > READ_MOST)
			return false;
		if (!is_scope(tag) && !is_block(tag))
			continue;
		if (is_scope(tag)) {
			array_reserve(&s->entry, &s->room, s->count + 1, sizeof(*s->entry));
			scope = s->count++;
			s->entry[scope] = (struct scope_entry){ .offset = dwarf_dieoffset(&die),
								.parent = around, .tag = tag,
								.name = name_of_die(&die) };
			if (tag == DW_TAG_subprogram)
				note_lambda(s, around, &die, s->entry[scope].name);
		}
		if (!read_child_scopes(s, &die, scope, depth + 1))
			return false;
	} while (dwarf_siblingof(&die, &die) == 0);
	return true;
}

static bool read_unit_scopes(struct scope_names *s, Dwarf_Die *unit)
{
	if (s->is_read && s->unit == dwarf_dieoffset(unit))
		return s->count > 0;
	s->count = 0;
	s->is_read = true;
	s->unit = dwarf_dieoffset(unit);
	if (s->read > READ_MOST || !is_cplusplus(unit))
		return false;
	array_reserve(&s->entry, &s->room, 1, sizeof(*s->entry));
	s->entry[s->count++] = (struct scope_entry){ .offset = s->unit };
	if (!read_child_scopes(s, unit, 0, 0))
		s->count = 0;
	return s->count > 0;
}

static uint32_t find_scope(const struct scope_names *s, Dwarf_Off offset)
{
	size_t i = array_first_from(s->entry, s->count, sizeof(*s->entry),
				    offsetof(struct scope_entry, offset), offset);

	return i < s->count && s->entry[i].offset == offset ? (uint32_t)i : 0;
}

/* ---- a name ------------------------------------------------------------------------------- */

/* Goes from an inlined call or a definition to the declaration, which is in its scope. */
static void follow_to_declaration(Dwarf_Die *die)
{
	for (int i = 0; i < LINKS_MAX; i++) {
		Dwarf_Attribute at;
		Dwarf_Die next;

		if (!dwarf_attr(die, DW_AT_abstract_origin, &at) &&
		    !dwarf_attr(die, DW_AT_specification, &at))
			return;
		if (!dwarf_formref_die(&at, &next))
			return;
		*die = next;
	}
}

static const char *scope_text(const struct scope_entry *e, char buffer[32])
{
	if (e->lambda > 0) {
		snprintf(buffer, 32, "{lambda#%u}", e->lambda);
		return buffer;
	}
	return e->name ? e->name : e->tag == DW_TAG_namespace ? "(anonymous namespace)" :
	       "{unnamed type}";
}

/* A function around others may be a definition, whose own scopes are those of its declaration. */
static uint32_t declaration_of_scope(struct scope_names *s, Dwarf_Die *unit, uint32_t scope)
{
	Dwarf_Die die;
	uint32_t found;

	if (s->entry[scope].tag != DW_TAG_subprogram ||
	    !dwarf_offdie(dwarf_cu_getdwarf(unit->cu), s->entry[scope].offset, &die))
		return scope;
	follow_to_declaration(&die);
	found = find_scope(s, dwarf_dieoffset(&die));
	return found ? found : scope;
}

static char *join_scopes(struct scope_names *s, Dwarf_Die *unit, uint32_t at)
{
	uint32_t chain[SCOPES_MAX], count = 0;
	char number[32], *text, *end;
	size_t size = 1;

	for (; at > 0 && count < SCOPES_MAX; at = s->entry[at].parent) {
		at = declaration_of_scope(s, unit, at);
		chain[count++] = at;
		size += strlen(scope_text(&s->entry[at], number)) + 2;
	}
	if (count <= 1 || size >= NAME_MAX_BYTES)
		return NULL;
	text = end = xmalloc(size);
	while (count-- > 0)
		end += sprintf(end, "%s%s", scope_text(&s->entry[chain[count]], number),
			       count ? "::" : "");
	return text;
}

char *scope_names_of(struct scope_names *s, Dwarf_Die *die)
{
	Dwarf_Die at = *die, unit;
	uint32_t scope;

	follow_to_declaration(&at);
	if (!dwarf_diecu(&at, &unit, NULL, NULL) || !read_unit_scopes(s, &unit))
		return NULL;
	scope = find_scope(s, dwarf_dieoffset(&at));
	return scope ? join_scopes(s, &unit, scope) : NULL;
}

void scope_names_free(struct scope_names *s)
{
	free(s->entry);
	*s = (struct scope_names){ .entry = NULL };
}
