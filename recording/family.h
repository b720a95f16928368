/* family.h -- The functions of allocators and their arguments.
 *
 * The recorder looks for them by name in an object that brings its own malloc; the tools look
 * for them, behind the prefixes of known allocators, where --alloc-symbol=auto asks for it.
 * Source  the manuals of glibc, jemalloc, mimalloc, tcmalloc and rpmalloc; C++17 for operators
 *         (Itanium C++ ABI, mangled names).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "recording/recording.h"

/* The meaning of a function's arguments: their numbers from 1, 0: none. Only integers and pointers
 * count. */
struct mu_signature {
	uint8_t fn;	/* enum mu_fn: the row that it counts in; MU_FN_FREE frees */
	uint8_t size;	/* bytes; MU_SIGNATURE_STRING: the result is a string */
	uint8_t count;	/* how many of `size` */
	uint8_t block;	/* freed or reallocated */
	uint8_t result; /* the block is stored where this points to, not returned */
	uint8_t flags;	/* enum mu_signature_flag */
	uint8_t reserved[2];
};
#define MU_SIGNATURE_STRING 255u

enum mu_signature_flag {
	MU_SIGNATURE_STATUS = 1, /* the function returns 0 when it succeeds */
	MU_SIGNATURE_NAMED = 2,  /* named by the user, not a known family's */
};

/* The answer to a query for the functions of a module that --alloc-symbol names (MU_QUERY_SYMBOLS)
 * has their number, that many of these, and texts, each ended by a zero, as is the whole answer. */
struct mu_symbol_match {
	uint64_t address; /* of the module's file */
	uint64_t size;	  /* bytes */
	struct mu_signature signature;
	uint32_t name; /* offset from the start of the answer */
	uint32_t why;  /* likewise: why the function must not be changed; 0: it may */
	uint32_t kind; /* enum mu_symbol_kind */
	uint32_t rule; /* number of the option */
};

struct mu_family {
	const char *name;
	struct mu_signature signature;
};

#define MU_FAMILY_ALLOC(name, fn, size, count) { name, { fn, size, count, 0, 0, 0, { 0 } } }
#define MU_FAMILY_REALLOC(name, size, count, block) \
	{ name, { MU_FN_REALLOC, size, count, block, 0, 0, { 0 } } }
#define MU_FAMILY_FREE(name, block) { name, { MU_FN_FREE, 0, 0, block, 0, 0, { 0 } } }
#define MU_FAMILY_STATUS(name, size) \
	{ name, { MU_FN_MEMALIGN, size, 0, 0, 1, MU_SIGNATURE_STATUS, { 0 } } }

/* libc's names and C++'s operators. free and malloc come first: without them nothing else would be
 * right. */
static const struct mu_family mu_family_libc[] = {
	MU_FAMILY_FREE("free", 1),
	MU_FAMILY_ALLOC("malloc", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("calloc", MU_FN_CALLOC, 1, 2),
	MU_FAMILY_REALLOC("realloc", 2, 0, 1),
	MU_FAMILY_REALLOC("reallocarray", 2, 3, 1),
	MU_FAMILY_ALLOC("memalign", MU_FN_MEMALIGN, 2, 0),
	MU_FAMILY_ALLOC("aligned_alloc", MU_FN_MEMALIGN, 2, 0),
	MU_FAMILY_STATUS("posix_memalign", 3),
	MU_FAMILY_ALLOC("valloc", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("pvalloc", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_FREE("cfree", 1),
	MU_FAMILY_FREE("free_sized", 1),
	MU_FAMILY_FREE("free_aligned_sized", 1),
	MU_FAMILY_ALLOC("_Znwm", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("_Znam", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("_ZnwmRKSt9nothrow_t", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("_ZnamRKSt9nothrow_t", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("_ZnwmSt11align_val_t", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("_ZnamSt11align_val_t", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("_ZnwmSt11align_val_tRKSt9nothrow_t", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("_ZnamSt11align_val_tRKSt9nothrow_t", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_FREE("_ZdlPv", 1),
	MU_FAMILY_FREE("_ZdaPv", 1),
	MU_FAMILY_FREE("_ZdlPvm", 1),
	MU_FAMILY_FREE("_ZdaPvm", 1),
	MU_FAMILY_FREE("_ZdlPvRKSt9nothrow_t", 1),
	MU_FAMILY_FREE("_ZdaPvRKSt9nothrow_t", 1),
	MU_FAMILY_FREE("_ZdlPvSt11align_val_t", 1),
	MU_FAMILY_FREE("_ZdaPvSt11align_val_t", 1),
	MU_FAMILY_FREE("_ZdlPvmSt11align_val_t", 1),
	MU_FAMILY_FREE("_ZdaPvmSt11align_val_t", 1),
	MU_FAMILY_FREE("_ZdlPvSt11align_val_tRKSt9nothrow_t", 1),
	MU_FAMILY_FREE("_ZdaPvSt11align_val_tRKSt9nothrow_t", 1),
};

#define MU_FAMILY_LIBC (sizeof(mu_family_libc) / sizeof(mu_family_libc[0]))
#define MU_FAMILY_NEEDED 2u /* free and malloc */
/* The first ones also occur behind a prefix: up to operator new. */
#define MU_FAMILY_PREFIXED 13u

/* libc's call malloc. An allocator that has them, too, serves them itself (mimalloc 3). */
static const struct mu_family mu_family_strings[] = {
	MU_FAMILY_ALLOC("strdup", MU_FN_MALLOC, MU_SIGNATURE_STRING, 0),
	MU_FAMILY_ALLOC("strndup", MU_FN_MALLOC, MU_SIGNATURE_STRING, 0),
};
#define MU_FAMILY_STRINGS (sizeof(mu_family_strings) / sizeof(mu_family_strings[0]))

/* A function of an allocator that was to be intercepted in memory (--own-malloc). */
struct mu_symbol {
	uint64_t calls;		 /* of those that were asked for by name or family */
	struct mu_string name;	 /* as in the symbol table */
	struct mu_string object; /* path of its file */
	struct mu_string why;	 /* completes "NAME: ": why it is not; empty: it is */
	uint32_t kind;		 /* enum mu_symbol_kind */
	uint32_t rule;		 /* ASKED: number of the option */
};

enum mu_symbol_kind { MU_SYMBOL_BUILTIN = 0, MU_SYMBOL_FAMILY = 1, MU_SYMBOL_NAMED = 2 };
