/* allocrule.c -- what --alloc-symbol and --free-symbol say, and what known allocators have.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/allocrule.h"

#include <stddef.h>
#include <string.h>

enum { ARGUMENTS = 6 };		/* in registers */

/* ---- options ------------------------------------------------------------------------------ */

static bool take(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length) != 0)
		return false;
	*text += length;
	return true;
}

static const char *take_argument(const char **text, uint8_t *number)
{
	if (!take(text, "arg") || **text < '1' || **text > '9' ||
	    ((*text)[1] >= '0' && (*text)[1] <= '9'))
		return "has something else where argN should stand, N being 1 to 6";
	*number = (uint8_t)(*(*text)++ - '0');
	return *number <= ARGUMENTS ? NULL
				    : "names an argument on the stack: only 6 are in registers";
}

static const char *take_size(const char **text, struct mu_signature *shape)
{
	const char *why = take_argument(text, &shape->size);

	shape->count = 0;
	if (!why && take(text, "*"))
		why = take_argument(text, &shape->count);
	return why;
}

static const char *take_block(const char **text, struct mu_signature *shape)
{
	shape->result = 0;
	if (take(text, "ret"))
		return NULL;
	if (take(text, "*"))
		return take_argument(text, &shape->result);
	return "has a ptr= that is neither ret nor *argN";
}

static const char *take_part(const char **text, struct mu_signature *shape, bool is_free)
{
	if (take(text, "ptr="))
		return is_free ? take_argument(text, &shape->block) : take_block(text, shape);
	if (is_free)
		return "can only have ptr=argN behind the name";
	if (take(text, "size="))
		return take_size(text, shape);
	if (take(text, "old="))
		return take_argument(text, &shape->block);
	return "can only have size=, ptr= and old= behind the name";
}

static const char *take_parts(const char *text, struct mu_signature *shape, bool is_free)
{
	const char *why;

	do {
		why = take_part(&text, shape, is_free);
	} while (!why && take(&text, ","));
	return !why && *text ? "has something behind an argument that is not understood" : why;
}

/* Where the name ends: at a colon that is none of a "::". */
static size_t name_length(const char *text)
{
	const char *at = text;

	while ((at = strchr(at, ':')) != NULL) {
		if (at[1] != ':')
			return (size_t)(at - text);
		at += 2;
	}
	return strlen(text);
}

const char *allocrule_parse(struct allocrule *rule, const char *text, bool is_free)
{
	size_t length = name_length(text);

	*rule = (struct allocrule){ .is_auto = false };
	rule->shape = (struct mu_signature){ .fn = is_free ? MU_FN_FREE : MU_FN_MALLOC,
					 .flags = MU_SIGNATURE_NAMED };
	if (is_free)
		rule->shape.block = 1;
	else
		rule->shape.size = 1;
	if (length == 0)
		return "names no function";
	if (length >= sizeof(rule->name))
		return "has a name that is too long";
	if (strcmp(text, "auto") == 0) {
		rule->is_auto = true;
		return is_free ? "belongs to --alloc-symbol" : NULL;
	}
	memcpy(rule->name, text, length);
	return text[length] ? take_parts(text + length + 1, &rule->shape, is_free) : NULL;
}

/* ---- known allocators --------------------------------------------------------------------- */

/* Behind je_ and _rjem_ (the latter are Rust's); xallocx() changes no block's place. */
static const struct mu_family jemalloc[] = {
	MU_FAMILY_ALLOC("mallocx", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_REALLOC("rallocx", 2, 0, 1),
	MU_FAMILY_FREE("dallocx", 1),
	MU_FAMILY_FREE("sdallocx", 1),
	{ NULL, { 0 } }
};

static const struct mu_family mimalloc[] = {
	MU_FAMILY_ALLOC("zalloc", MU_FN_CALLOC, 1, 0),
	MU_FAMILY_ALLOC("mallocn", MU_FN_MALLOC, 1, 2),
	MU_FAMILY_ALLOC("malloc_small", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("zalloc_small", MU_FN_CALLOC, 1, 0),
	MU_FAMILY_ALLOC("malloc_aligned", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("malloc_aligned_at", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("zalloc_aligned", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("zalloc_aligned_at", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("calloc_aligned", MU_FN_MEMALIGN, 1, 2),
	MU_FAMILY_ALLOC("calloc_aligned_at", MU_FN_MEMALIGN, 1, 2),
	MU_FAMILY_REALLOC("realloc_aligned", 2, 0, 1),
	MU_FAMILY_REALLOC("realloc_aligned_at", 2, 0, 1),
	MU_FAMILY_REALLOC("rezalloc", 2, 0, 1),
	MU_FAMILY_REALLOC("rezalloc_aligned", 2, 0, 1),
	MU_FAMILY_REALLOC("reallocn", 2, 3, 1),
	MU_FAMILY_REALLOC("recalloc", 2, 3, 1),
	MU_FAMILY_REALLOC("recalloc_aligned", 2, 3, 1),
	MU_FAMILY_REALLOC("reallocf", 2, 0, 1),
	MU_FAMILY_FREE("free_size", 1),
	MU_FAMILY_FREE("free_size_aligned", 1),
	MU_FAMILY_FREE("free_aligned", 1),
	MU_FAMILY_ALLOC("new", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("new_n", MU_FN_MALLOC, 1, 2),
	MU_FAMILY_ALLOC("new_nothrow", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("new_aligned", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("new_aligned_nothrow", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_REALLOC("new_realloc", 2, 0, 1),
	MU_FAMILY_REALLOC("new_reallocn", 2, 3, 1),
	MU_FAMILY_ALLOC("heap_malloc", MU_FN_MALLOC, 2, 0),
	MU_FAMILY_ALLOC("heap_zalloc", MU_FN_CALLOC, 2, 0),
	MU_FAMILY_ALLOC("heap_calloc", MU_FN_CALLOC, 2, 3),
	MU_FAMILY_ALLOC("heap_mallocn", MU_FN_MALLOC, 2, 3),
	MU_FAMILY_ALLOC("heap_malloc_small", MU_FN_MALLOC, 2, 0),
	MU_FAMILY_ALLOC("heap_malloc_aligned", MU_FN_MEMALIGN, 2, 0),
	MU_FAMILY_ALLOC("heap_zalloc_aligned", MU_FN_MEMALIGN, 2, 0),
	MU_FAMILY_ALLOC("heap_calloc_aligned", MU_FN_MEMALIGN, 2, 3),
	MU_FAMILY_REALLOC("heap_realloc", 3, 0, 2),
	MU_FAMILY_REALLOC("heap_reallocn", 3, 4, 2),
	MU_FAMILY_REALLOC("heap_reallocf", 3, 0, 2),
	MU_FAMILY_REALLOC("heap_rezalloc", 3, 0, 2),
	MU_FAMILY_REALLOC("heap_recalloc", 3, 4, 2),
	MU_FAMILY_REALLOC("heap_realloc_aligned", 3, 0, 2),
	MU_FAMILY_ALLOC("strdup", MU_FN_MALLOC, MU_SIGNATURE_STRING, 0),
	MU_FAMILY_ALLOC("strndup", MU_FN_MALLOC, MU_SIGNATURE_STRING, 0),
	MU_FAMILY_ALLOC("heap_strdup", MU_FN_MALLOC, MU_SIGNATURE_STRING, 0),
	MU_FAMILY_ALLOC("heap_strndup", MU_FN_MALLOC, MU_SIGNATURE_STRING, 0),
	{ NULL, { 0 } }
};

static const struct mu_family tcmalloc[] = {
	MU_FAMILY_ALLOC("malloc_skip_new_handler", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("new", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("new_nothrow", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("newarray", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("newarray_nothrow", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("new_aligned", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("new_aligned_nothrow", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("newarray_aligned", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_ALLOC("newarray_aligned_nothrow", MU_FN_MEMALIGN, 1, 0),
	MU_FAMILY_FREE("delete", 1),
	MU_FAMILY_FREE("delete_nothrow", 1),
	MU_FAMILY_FREE("delete_sized", 1),
	MU_FAMILY_FREE("delete_aligned", 1),
	MU_FAMILY_FREE("delete_sized_aligned", 1),
	MU_FAMILY_FREE("delete_aligned_nothrow", 1),
	MU_FAMILY_FREE("deletearray", 1),
	MU_FAMILY_FREE("deletearray_nothrow", 1),
	MU_FAMILY_FREE("deletearray_sized", 1),
	MU_FAMILY_FREE("deletearray_aligned", 1),
	MU_FAMILY_FREE("deletearray_sized_aligned", 1),
	MU_FAMILY_FREE("deletearray_aligned_nothrow", 1),
	{ NULL, { 0 } }
};

static const struct mu_family rpmalloc[] = {
	MU_FAMILY_ALLOC("malloc", MU_FN_MALLOC, 1, 0),
	MU_FAMILY_ALLOC("zalloc", MU_FN_CALLOC, 1, 0),
	MU_FAMILY_ALLOC("calloc", MU_FN_CALLOC, 1, 2),
	MU_FAMILY_REALLOC("realloc", 2, 0, 1),
	MU_FAMILY_REALLOC("aligned_realloc", 3, 0, 1),
	MU_FAMILY_ALLOC("aligned_alloc", MU_FN_MEMALIGN, 2, 0),
	MU_FAMILY_ALLOC("aligned_zalloc", MU_FN_MEMALIGN, 2, 0),
	MU_FAMILY_ALLOC("aligned_calloc", MU_FN_MEMALIGN, 2, 3),
	MU_FAMILY_ALLOC("memalign", MU_FN_MEMALIGN, 2, 0),
	MU_FAMILY_STATUS("posix_memalign", 3),
	MU_FAMILY_FREE("free", 1),
	{ NULL, { 0 } }
};

static const struct prefix {
	const char *text;
	const struct mu_family *own;	/* beside libc's, or in their place */
	bool has_libc;
} prefixes[] = {
	{ "je_", jemalloc, true },
	{ "_rjem_", jemalloc, true },
	{ "mi_", mimalloc, true },
	{ "tc_", tcmalloc, true },
	{ "rp", rpmalloc, false },
};

static const struct mu_signature *find(const struct mu_family *family, size_t count, const char *name)
{
	for (size_t i = 0; i < count && family[i].name; i++)
		if (strcmp(family[i].name, name) == 0)
			return &family[i].shape;
	return NULL;
}

const struct mu_signature *allocrule_known(const char *name)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const struct prefix *p = &prefixes[i];
		size_t length = strlen(p->text);
		const struct mu_signature *shape = NULL;

		if (strncmp(name, p->text, length) != 0)
			continue;
		if (p->has_libc)
			shape = find(mu_family_libc, MU_FAMILY_PREFIXED, name + length);
		return shape ? shape : find(p->own, SIZE_MAX, name + length);
	}
	return NULL;
}
