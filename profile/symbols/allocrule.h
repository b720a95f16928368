/* allocrule.h -- what --alloc-symbol and --free-symbol say, and what known allocators have.
 *
 *	pool_alloc                      size in the first argument, the block is the result
 *	pool_get:size=arg2*arg3         a number of elements
 *	pool_new:size=arg2,ptr=*arg1    the block is put where argument 1 points to
 *	pool_grow:size=arg2,old=arg1    another block ends where this succeeds
 *	pool_free:ptr=arg2              --free-symbol
 *
 * Arguments are counted from 1, integers and pointers only. A name may hold colons (C++).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "recording/family.h"

enum { ALLOCRULE_NAME_MAX = 2048 };

struct allocrule {
	char name[ALLOCRULE_NAME_MAX];	/* "" with is_auto */
	struct mu_signature signature;
	bool is_auto;			/* functions of known allocators */
};

/* allocrule_parse -- take the argument of an option apart.
 *
 * rule     overwritten.
 * is_free  of --free-symbol.
 * Returns NULL, or why it makes no sense: a constant text that completes "--alloc-symbol=X ".
 */
const char *allocrule_parse(struct allocrule *rule, const char *text, bool is_free);

/* allocrule_known -- Returns the signature of a known allocator's function by its symbol's name;
 * NULL if it is none. */
const struct mu_signature *allocrule_known(const char *name);
