/* demangle.h -- the names that programmers gave to what linkers call something else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* demangle -- the source name of a C++ or Rust symbol, with its argument types.
 *
 * name    a symbol's; may be hostile, but names beyond 64 KiB are left alone.
 * Returns a text for the caller to free(), or NULL if NAME is no mangled name (or this was
 * built with LIBDW=no). May end the program when there is no memory, as libiberty does: to be
 * called where that is no loss, in the child of symbols_resolve().
 */
char *demangle(const char *name);
