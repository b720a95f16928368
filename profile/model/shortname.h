/* shortname.h -- names of functions that fit on a line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

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
