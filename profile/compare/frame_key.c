/* frame_key.c -- What two builds of a program have in common in the name of a function or module.
 *
 * Source the names that gcc 12 (-O2 -flto), clang 14 (-flto=thin) and rustc 1.95 give to parts and
 *        copies of functions: "Clones of functions" in gcc's cgraphclones.cc, LLVM's
 *        PromoteStaticSymbols.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/compare/frame_key.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "profile/model/shortname.h"

enum { RUST_HASH = 16 };

/* Parts of a name between dots, of which the rest has no others and numbers. */
static const char *const suffixes[] = {
	"constprop", "isra", "part", "cold", "llvm", "lto_priv", "localalias", "clone", "ipa",
	"resolver", "warm", "hot", "specialized", "__uniq",
};

static bool is_suffix_word(const char *word, size_t length)
{
	if (length > 0 && strspn(word, "0123456789") >= length)
		return true;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (strlen(suffixes[i]) == length && strncmp(suffixes[i], word, length) == 0)
			return true;
	}
	return false;
}

/* Takes off the last parts between dots. ".0" alone is no suffix: clang and gcc number statics. */
static void cut_suffixes(char *name)
{
	char *dot;

	while ((dot = strrchr(name, '.')) && dot > name && is_suffix_word(dot + 1, strlen(dot + 1)))
		*dot = '\0';
}

/* "::h" and 16 hexadecimal digits at the end. */
static void cut_rust_hash(char *name)
{
	size_t length = strlen(name);
	char *at = name + length - RUST_HASH;

	if (length > RUST_HASH + 3 && strncmp(at - 3, "::h", 3) == 0 &&
	    strspn(at, "0123456789abcdef") == RUST_HASH)
		at[-3] = '\0';
}

static void cut_at(char *name, const char *text)
{
	char *at = strstr(name, text);

	if (at)
		*at = '\0';
}

static void remove_all(char *name, const char *text)
{
	const size_t length = strlen(text);

	for (char *at = name; (at = strstr(at, text));)
		memmove(at, at + length, strlen(at + length) + 1);
}

/* Puts TEXT in the place of LENGTH bytes; not longer than FRAME_KEY_LENGTH. */
static char *replace_part(char *name, char *at, size_t length, const char *text)
{
	const size_t put = strlen(text);

	if (strlen(name) + put - length >= FRAME_KEY_LENGTH)
		return at + length;
	memmove(at + put, at + length, strlen(at + length) + 1);
	memcpy(at, text, put);
	return at + put;
}

/* gcc numbers the lambdas of a function from 1 on, clang those of a file from 0 on. */
static void unify_lambdas(char *name)
{
	for (char *at = name; (at = strstr(at, "{lambda"));) {
		char *end = strchr(at, '}');

		if (!end)
			break;
		at = replace_part(name, at, (size_t)(end + 1 - at), "{lambda}");
	}
	for (char *at = name; (at = strstr(at, "$_"));) {
		size_t digits = strspn(at + 2, "0123456789");

		at = digits ? replace_part(name, at, 2 + digits, "{lambda}") : at + 2;
	}
}

char *frame_key_function(const char *name, char key[FRAME_KEY_LENGTH])
{
	char text[FRAME_KEY_LENGTH];

	/* A name that is too long keeps its end, where the function is. */
	if (strlen(name) >= sizeof(text))
		shortname(name, text, sizeof(text));
	else
		strcpy(text, name);
	cut_at(text, " [clone");
	cut_at(text, " (.");
	remove_all(text, "[abi:cxx11]");
	cut_rust_hash(text);
	cut_suffixes(text);
	shortname(text, key, FRAME_KEY_LENGTH);
	unify_lambdas(key);
	return key;
}

char *frame_key_module(const char *path, char key[FRAME_KEY_LENGTH])
{
	const char *slash = strrchr(path, '/');
	char *dash;

	snprintf(key, FRAME_KEY_LENGTH, "%s", slash ? slash + 1 : path);
	cut_at(key, ".so");
	dash = strrchr(key, '-');
	if (dash && dash > key && isdigit((unsigned char)dash[1]) &&
	    strspn(dash + 1, "0123456789.") == strlen(dash + 1))
		*dash = '\0';
	return key;
}
