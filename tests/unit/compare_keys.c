/* compare_keys.c -- names of two builds get one key, names of two functions two.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/compare/frame_key.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

static const struct {
	const char *name, *want;
} functions[] = {
	{ "", "" },
	{ "main", "main" },
	{ "parse.constprop.0", "parse" },
	{ "parse.constprop.0.isra.1", "parse" },
	{ "parse.part.0.cold", "parse" },
	{ "parse.llvm.1234567890", "parse" },
	{ "parse.lto_priv.0", "parse" },
	{ "parse.0", "parse" },
	{ "ns::read(int) [clone .cold]", "ns::read" },
	{ "ns::read(int) [clone .isra.0] [clone .cold]", "ns::read" },
	{ "ns::read(int) (.llvm.77)", "ns::read" },
	{ "void* n::f<int>(int)", "n::f<>" },
	{ "n::f<int>", "n::f<>" },
	{ "main::{lambda(int)#1}::operator()(int) const", "main::{lambda}::operator()" },
	{ "main::{lambda#2}::operator()", "main::{lambda}::operator()" },
	{ "main::$_0::operator()(int) const", "main::{lambda}::operator()" },
	{ "name[abi:cxx11](int)", "name" },
	{ "core::f::h0123456789abcdef", "core::f" },
	{ "core::f::h0123456789abcdeg", "core::f::h0123456789abcdeg" },
	{ "main.run", "main.run" },
	{ "runtime.cold", "runtime" },
	{ ".cold", ".cold" },
	{ "a$_", "a$_" },
	{ "{lambda", "{lambda" },
	{ "py::fill:/home/me/a.py", "py::fill:/home/me/a.py" },
};

static const struct {
	const char *path, *want;
} modules[] = {
	{ "", "" },
	{ "/bin/prog", "prog" },
	{ "/usr/lib/libz.so.1.2.13", "libz" },
	{ "libz.so", "libz" },
	{ "/lib/libc-2.31.so", "libc" },
	{ "/lib/x86_64-linux-gnu/libc.so.6", "libc" },
	{ "/opt/python3-dbg", "python3-dbg" },
	{ "/opt/a-1b", "a-1b" },
	{ "-1", "-1" },
	{ "[vdso]", "[vdso]" },
};

static void names(void)
{
	char key[FRAME_KEY_LENGTH];

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		EQ_S(frame_key_function(functions[i].name, key), functions[i].want);
	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		EQ_S(frame_key_module(modules[i].path, key), modules[i].want);
}

/* A long name keeps its end; nothing is written behind the key. */
static void long_names(void)
{
	struct {
		char key[FRAME_KEY_LENGTH], behind;
	} guarded = { .behind = 'x' };
	char *name = malloc(5 * 4000 + 16);

	name[0] = '\0';
	for (size_t i = 0; i < 4000; i++)
		strcpy(name + 5 * i, "a::$_");
	strcat(name, "1::last(int)");
	frame_key_function(name, guarded.key);
	OK(strlen(guarded.key) < FRAME_KEY_LENGTH, "the key fits");
	OK(strstr(guarded.key, "::last") != NULL, "the function is there");
	strcpy(name, "");
	for (size_t i = 0; i < 250; i++)
		strcpy(name + 2 * i, "$_");
	for (size_t i = 0; i < 250; i += 2)
		memcpy(name + 2 * i, "$_1:", 4);
	frame_key_function(name, guarded.key);
	OK(strlen(guarded.key) < FRAME_KEY_LENGTH, "the key fits");
	EQ_I(guarded.behind, 'x');
	free(name);
}

int main(void)
{
	names();
	long_names();
	return done_testing();
}
