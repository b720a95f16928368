/* funcname.h -- Matches symbols with function names that users write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* funcname_length -- bytes of a symbol's name without the version behind '@'. */
size_t funcname_length(const char *symbol);

/* funcname_is_clone -- whether a symbol is a copy that a compiler made of a function, or of a
 * part of one: foo.part.0, foo.isra.0, foo.constprop.0, foo.cold, foo.specialized.1.
 *
 * foo.lto_priv.0 is none: only its name was changed.
 */
bool funcname_is_clone(const char *symbol);

/* funcname_is -- whether a symbol is NAME, or a clone of it that can be called (not .cold). */
bool funcname_is(const char *symbol, const char *name);

/* funcname_may_be -- whether a mangled symbol can be the source name NAME: worth demangling. */
bool funcname_may_be(const char *symbol, const char *name);

/* funcname_is_source -- whether a demangled symbol is NAME.
 *
 * NAME may leave out the arguments and the type of the result, but not arguments of templates:
 * "pool::get<int>" is "void* pool::get<int>(unsigned long)", "pool::get" is not. Blanks do not
 * count.
 */
bool funcname_is_source(const char *demangled, const char *name);
