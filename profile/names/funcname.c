/* funcname.c -- Matches symbols with function names that users write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/names/funcname.h"

#include <string.h>

size_t funcname_length(const char *symbol)
{
	return strcspn(symbol, "@");
}

/* Where the first suffix of compilers begins: a dot behind something that is not first. */
static size_t symbol_stem_length(const char *symbol)
{
	size_t length = funcname_length(symbol);

	for (size_t i = 1; i < length; i++)
		if (symbol[i] == '.')
			return i;
	return length;
}

static bool is_renamed_only(const char *suffix, size_t length)
{
	static const char word[] = ".lto_priv";
	size_t known = sizeof(word) - 1;

	if (length < known || strncmp(suffix, word, known) != 0)
		return false;
	return strspn(suffix + known, ".0123456789") + known == length;
}

bool funcname_is_clone(const char *symbol)
{
	size_t stem = symbol_stem_length(symbol), length = funcname_length(symbol);

	return stem < length && !is_renamed_only(symbol + stem, length - stem);
}

bool funcname_is(const char *symbol, const char *name)
{
	size_t length = funcname_length(symbol), wanted = strlen(name);

	if (length < wanted || strncmp(symbol, name, wanted) != 0)
		return false;
	return length == wanted ||
	       (symbol[wanted] == '.' && strncmp(symbol + wanted, ".cold", 5) != 0);
}

/* The last identifier of a source name must be in the symbol literally. */
bool funcname_may_be(const char *symbol, const char *name)
{
	size_t length = strcspn(name, "(<"), start;
	char word[256];

	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R'))
		return false;
	if (strstr(name, "operator"))
		return true;
	for (start = length; start > 0; start--)
		if (name[start - 1] == ':' || name[start - 1] == ' ' || name[start - 1] == '*' ||
		    name[start - 1] == '&')
			break;
	length -= start;
	if (length == 0 || length >= sizeof(word))
		return true;
	memcpy(word, name + start, length);
	word[length] = '\0';
	return strstr(symbol, word) != NULL;
}

static bool is_same_text(const char *a, size_t length, const char *b)
{
	const char *end = a + length;

	for (;;) {
		while (a < end && *a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (a == end || !*b)
			return a == end && !*b;
		if (*a++ != *b++)
			return false;
	}
}

/* Where the list of arguments begins: the bracket that the last one closes. */
static size_t find_argument_list(const char *text)
{
	const char *last = strrchr(text, ')');
	int depth = 0;

	for (size_t i = last ? (size_t)(last - text) + 1 : 0; i-- > 0;) {
		depth += (text[i] == ')') - (text[i] == '(');
		if (depth == 0)
			return i;
	}
	return strlen(text);
}

/* A template function's text begins with the type of its result. */
static size_t result_length(const char *text, size_t length)
{
	int depth = 0;
	size_t start = 0;

	for (size_t i = 0; i < length; i++) {
		if (i + 8 <= length && depth == 0 && strncmp(text + i, "operator", 8) == 0)
			break;
		depth += (text[i] == '<' || text[i] == '(') - (text[i] == '>' || text[i] == ')');
		if (text[i] == ' ' && depth == 0)
			start = i + 1;
	}
	return start;
}

bool funcname_is_source(const char *demangled, const char *name)
{
	size_t whole = strlen(demangled), bare = find_argument_list(demangled);
	size_t start = result_length(demangled, bare);

	return is_same_text(demangled, whole, name) || is_same_text(demangled, bare, name) ||
	       is_same_text(demangled + start, whole - start, name) ||
	       is_same_text(demangled + start, bare - start, name);
}
