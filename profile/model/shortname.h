/* shortname.h -- names of functions that fit on a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_MODEL_SHORTNAME_H
#define PROFILE_MODEL_SHORTNAME_H

#include <stdbool.h>
#include <stddef.h>

/* shortname -- a demangled name without return type, parameters and template arguments.
 *
 *	void std::vector<int, std::allocator<int> >::_M_fill<3>(int const&)
 *	std::vector<>::_M_fill<>
 *	<alloc::vec::Vec<T> as core::clone::Clone>::clone
 *	<alloc::vec::Vec<>>::clone
 *
 * name    any text; what is not such a name comes back as it is.
 * buffer  gets at most SIZE - 1 bytes and a final zero; SIZE must be at least 8. What is too long
 *         is cut at the front, where namespaces are, with "..." in its place.
 * Returns BUFFER.
 */
char *shortname(const char *name, char *buffer, size_t size);

/* shortname_is_runtime -- whether a function belongs to the run-time of a language.
 *
 * Containers, strings, iterators, operator new: they allocate on behalf of others, and nobody
 * looks for a leak in them.
 *
 * name    demangled, with or without what shortname() leaves out.
 * file    where it is; "" unknown.
 * object  path of its module; "" unknown.
 */
bool shortname_is_runtime(const char *name, const char *file, const char *object);

/* shortname_is_wrapper -- whether a function by its name hands on what another one asked for.
 *
 * xmalloc, g_strdup, sqlite3Malloc, PyMem_Realloc: whoever called it is the one to look at.
 *
 * name  demangled, with or without what shortname() leaves out.
 */
bool shortname_is_wrapper(const char *name);

#endif
