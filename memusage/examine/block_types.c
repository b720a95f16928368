/* block_types.c -- The C++ classes of blocks, by their tables of virtual functions.
 *
 * Source  Itanium C++ ABI, sections 2.5.2 and 2.9.5: an object of a class with virtual functions
 *         begins with the address of a table. The two words before are the distance from there to
 *         the whole object, 0 here, and the address of its type_info, whose second word is the
 *         address of the name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/block_types.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/examine/process_modules.h"
#include "profile/base/array.h"

enum {
	LOOKS = 8,	 /* blocks of a site that are looked at */
	NAME_MOST = 1024 /* bytes */
};

struct votes {
	uint32_t looks, for_name;
	uint32_t name; /* that has most votes, if any has more than half of them */
};

struct search {
	const struct snapshot *s;
	struct process_modules modules;
	struct strings *texts;
};

/* Reads two words of an object's data. */
static bool read_constants(const struct search *x, uint64_t address, uint64_t word[2])
{
	return address % 8 == 0 &&
	       process_modules_find(&x->modules, address) != MODULES_NONE &&
	       address_space_read(&x->s->space, address, word, 16) == 16;
}

/* "4Item", "N3lib5CacheE", "St12bad_function", "*" before the name of a local class. */
static bool is_type_name(const char *name)
{
	if (!((*name >= '1' && *name <= '9') || *name == 'N' || *name == 'S' || *name == 'Z'))
		return false;
	for (; *name; name++) {
		if (!((*name >= '0' && *name <= '9') || (*name >= 'A' && *name <= 'Z') ||
		      (*name >= 'a' && *name <= 'z') || *name == '_' || *name == '.' ||
		      *name == '$'))
			return false;
	}
	return true;
}

static uint32_t read_name(const struct search *x, uint64_t address)
{
	char text[NAME_MOST + 1];
	const char *name = text;
	size_t length;

	if (process_modules_find(&x->modules, address) == MODULES_NONE)
		return 0;
	length = address_space_read(&x->s->space, address, text, NAME_MOST);
	text[length] = '\0';
	if (strlen(text) >= length)
		return 0;
	name += *name == '*';
	return is_type_name(name) ? strings_add(x->texts, name, strlen(name)) : 0;
}

/* Returns the name of the class of a block, 0 if it seems to have none. */
static uint32_t type_of_block(const struct search *x, const struct heap_block *b)
{
	uint64_t table, before[2], info[2], base[2];

	if (b->size < sizeof(table) ||
	    address_space_read(&x->s->space, b->start, &table, sizeof(table)) != sizeof(table) ||
	    !read_constants(x, table - 16, before) || before[0] != 0)
		return 0;
	/* A type_info is an object with virtual functions itself. */
	if (!read_constants(x, before[1], info) || !read_constants(x, info[0] - 16, base) ||
	    base[0] != 0)
		return 0;
	return read_name(x, info[1]);
}

/* The name with more than half of the votes is what remains if different ones cancel out. */
static void vote(struct votes *v, uint32_t name)
{
	v->looks++;
	if (name == v->name) {
		v->for_name++;
	} else if (v->for_name == 0) {
		v->name = name;
		v->for_name = 1;
	} else {
		v->for_name--;
	}
}

void block_types_find(struct block_types *t, const struct snapshot *s, uint32_t sites,
		      struct strings *texts)
{
	struct search x = { .s = s, .texts = texts };
	struct votes *votes = xcalloc((size_t)sites + 1, sizeof(*votes));

	*t = (struct block_types){ .count = 0 };
	process_modules_read(&x.modules, s);
	for (uint32_t i = 0; i < s->blocks.count; i++) {
		const struct heap_block *b = &s->blocks.block[i];

		if (b->site < sites && votes[b->site].looks < LOOKS)
			vote(&votes[b->site], type_of_block(&x, b));
	}
	for (uint32_t i = 0; i < sites; i++) {
		if (votes[i].name == 0 || votes[i].for_name == 0)
			continue;
		array_reserve(&t->type, &t->room, t->count + UINT64_C(1), sizeof(*t->type));
		t->type[t->count++] = (struct mu_holder_type){ i, votes[i].name };
	}
	process_modules_free(&x.modules);
	free(votes);
}

void block_types_free(struct block_types *t)
{
	free(t->type);
	*t = (struct block_types){ .count = 0 };
}
