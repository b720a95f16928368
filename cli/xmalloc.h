/* xmalloc.h -- memory for the programs: succeed or die with a message.
 *
 * Also for profile/ and formats/, but not where the collector calls them: it must not end while it
 * has recordings to save (docs/design.md, "Lack of memory").
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* libiberty, whose demangler memusageprint uses, has functions of these names. */
#define xmalloc cli_xmalloc
#define xaligned_alloc cli_xaligned_alloc
#define xcalloc cli_xcalloc
#define xstrdup cli_xstrdup
#define xstrndup cli_xstrndup
#define xasprintf cli_xasprintf

/* xmalloc_on_failure -- Sets what all functions here call without memory, in place of die().
 *
 * leave  ends the process: for a child, which must not run exit handlers of its parent.
 */
void xmalloc_on_failure(void (*leave)(void));

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

/* xno_memory -- Ends the program as the functions below do, for what has failed elsewhere. */
void xno_memory(void) __attribute__((noreturn));

/* xcheck -- P, from a function that returns NULL only without memory. */
void *xcheck(void *p) __attribute__((returns_nonnull));

/* xopen_memstream -- Opens a stream that writes to memory, as open_memstream(3) does. */
FILE *xopen_memstream(char **text, size_t *length) __attribute__((returns_nonnull));

/* xclose_memstream -- Closes it; dies if not all that was written is in the text, which is then
 * terminated and the caller's to free. */
void xclose_memstream(FILE *stream);

/* xasprintf -- the formatted text in memory of its own. */
char *xasprintf(const char *format, ...)
	__attribute__((format(printf, 1, 2), malloc, returns_nonnull));
