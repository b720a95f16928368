/* xmalloc.h -- memory for the programs: succeed or die with a message.
 *
 * Only for cli/ and the programs. profile/ and formats/ return ENOMEM to their caller.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

/* libiberty, whose demangler memusageprint uses, has functions of these names. */
#define xmalloc cli_xmalloc
#define xaligned_alloc cli_xaligned_alloc
#define xcalloc cli_xcalloc
#define xstrdup cli_xstrdup
#define xstrndup cli_xstrndup
#define xasprintf cli_xasprintf

/* xmalloc -- SIZE bytes of undefined content; never NULL. free() releases them. */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));

/* xaligned_alloc -- the same at a multiple of ALIGN, a power of two; SIZE is a multiple of it. */
void *xaligned_alloc(size_t align, size_t size)
	__attribute__((malloc, returns_nonnull, alloc_align(1), alloc_size(2)));

/* xcalloc -- COUNT zeroed elements of SIZE bytes; the product is checked. */
void *xcalloc(size_t count, size_t size)
	__attribute__((malloc, returns_nonnull, alloc_size(1, 2)));

/* xreallocarray -- resize P (NULL allowed) to COUNT elements of SIZE bytes; checked. */
void *xreallocarray(void *p, size_t count, size_t size)
	__attribute__((returns_nonnull, alloc_size(2, 3)));

/* xstrdup -- a copy of TEXT, which must not be NULL. */
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull, nonnull));

/* xstrndup -- a copy of the first LENGTH bytes of TEXT at most, always terminated. */
char *xstrndup(const char *text, size_t length)
	__attribute__((malloc, returns_nonnull, nonnull));

/* xasprintf -- the formatted text in memory of its own. */
char *xasprintf(const char *format, ...)
	__attribute__((format(printf, 1, 2), malloc, returns_nonnull));
