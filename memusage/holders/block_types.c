/* block_types.c -- The C++ classes of blocks, by their tables of virtual functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/holders/block_types.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/common/class_name.h"
#include "memusage/examine/process_modules.h"
#include "profile/base/array.h"

enum { LOOKS = 8 }; /* blocks of a site that are looked at */

struct votes {
	uint32_t looks, for_name;
	uint32_t name; /* that has most votes, if any has more than half of them */
};

struct search {
	const struct snapshot *s;
	struct process_modules modules;
	struct strings *texts;
};

static size_t read_memory(const void *data, uint64_t address, void *to, size_t size)
{
	const struct search *x = data;

	return address_space_read(&x->s->space, address, to, size);
}

static bool is_in_object(const void *data, uint64_t address)
{
	const struct search *x = data;

	return process_modules_find(&x->modules, address) != MODULES_NONE;
}

/* Returns the name of the class of a block, 0 if it seems to have none. */
static uint32_t type_of_block(const struct search *x, const struct heap_block *b)
{
	const struct class_memory m = { read_memory, is_in_object, x };
	char name[CLASS_NAME_BYTES];
	uint64_t table;

	if (b->size < sizeof(table) ||
	    address_space_read(&x->s->space, b->start, &table, sizeof(table)) != sizeof(table) ||
	    !class_name_read(&m, table, name))
		return 0;
	return strings_add(x->texts, name, strlen(name));
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
