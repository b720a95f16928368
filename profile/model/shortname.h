/* shortname.h -- names of functions that fit on a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_MODEL_SHORTNAME_H
#define PROFILE_MODEL_SHORTNAME_H

#include <stdbool.h>
#include <stddef.h>

/* shortname -- Shortens a demangled name: no return type, parameters or template arguments.
 *
 *	void std::vector<int, std::allocator<int> >::_M_fill<3>(int const&)
 *	std::vector<>::_M_fill<>
 *	<alloc::vec::Vec<T> as core::clone::Clone>::clone
 *	<alloc::vec::Vec<>>::clone
 *
 * name    any text; another text than such a name comes back unchanged.
 * buffer  gets at most SIZE - 1 bytes and a final zero; SIZE must be at least 8. A name that is too
 *         long is cut at the front, where namespaces are, and "..." replaces them.
 * Returns BUFFER.
 */
char *shortname(const char *name, char *buffer, size_t size);

/* shortname_is_runtime -- Tells whether a function belongs to the run-time of a language.
 *
 * Containers, strings, iterators, operator new: they allocate on behalf of others, and are no place
 * to look for a leak.
 *
 * name    demangled, whole or as shortname() returns it.
 * file    where it is; "" unknown.
 * object  path of its module; "" unknown.
 */
bool shortname_is_runtime(const char *name, const char *file, const char *object);

/* shortname_is_wrapper -- Tells by its name whether a function passes on another one's request.
 *
 * xmalloc, g_strdup, sqlite3Malloc, PyMem_Realloc: its caller is the function of interest.
 *
 * name  demangled, whole or as shortname() returns it.
 */
bool shortname_is_wrapper(const char *name);

#endif
