/* frame_key.h -- What two builds of a program have in common in the name of a function or module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

enum { FRAME_KEY_LENGTH = 512 };

/* frame_key_function -- Writes the name of a function without what a compiler or a build added.
 *
 *	parse.constprop.0.isra.1		parse
 *	ns::read(int) [clone .cold]		ns::read
 *	main::{lambda(int)#2}::operator()(int)	main::{lambda}::operator()
 *	main::$_1::operator()(int) const	main::{lambda}::operator()
 *	core::f::h0123456789abcdef		core::f
 *
 * Parameters, results and template arguments are left out too, because compilers write them
 * differently.
 *
 * name  demangled; any text.
 * key   gets at most FRAME_KEY_LENGTH - 1 bytes and a final zero.
 * Returns KEY.
 */
char *frame_key_function(const char *name, char key[FRAME_KEY_LENGTH]);

/* frame_key_module -- Writes the name of a library or program without directory and version.
 *
 *	/usr/lib/libz.so.1.2.13		libz
 *	/lib/libc-2.31.so		libc
 *
 * As above.
 */
char *frame_key_module(const char *path, char key[FRAME_KEY_LENGTH]);
