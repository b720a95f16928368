/* holder_names.c -- Names of what holds the heap, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/holder_names.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/strings.h"
#include "profile/model/holder_frames.h"
#include "profile/symbols/demangle_list.h"

enum { FRAMES_MOST = 16 }; /* between an allocator and operator new */

static const char type_prefix[] = "_ZTS", type_words[] = "typeinfo name for ";

/* ---- types by the names of functions ---------------------------------------------------- */

/* Returns the length of the first template argument at TEXT; 0 if it does not end. */
static size_t argument_length(const char *text)
{
	unsigned int depth = 0;

	for (size_t i = 0; text[i]; i++) {
		if (text[i] == '<' || text[i] == '(')
			depth++;
		else if (depth == 0 && (text[i] == '>' || text[i] == ','))
			return i;
		else if (text[i] == '>' || text[i] == ')')
			depth--;
	}
	return 0;
}

/* "std::__new_allocator<Item>::allocate(unsigned long, void const*)" */
static char *type_of_function(const char *function)
{
	static const char allocator[] = "new_allocator<";
	const char *type = strstr(function, allocator);
	size_t length;

	if (!type)
		return NULL;
	type += sizeof(allocator) - 1;
	length = argument_length(type);
	while (length > 0 && type[length - 1] == ' ')
		length--;
	return length > 0 ? xstrndup(type, length) : NULL;
}

static char *type_of_stack(const struct profile *p, uint32_t site)
{
	const struct site *s = &p->sites.site[site];
	uint32_t frame = p->stack[s->stack].frame;

	for (unsigned int i = 0; frame && i < FRAMES_MOST; i++, frame = p->frame[frame].parent) {
		uint32_t count;
		const struct symbols_level *level =
			profile_levels(p, p->frame[frame].location, &count);

		for (uint32_t k = 0; k < count; k++) {
			char *type = type_of_function(symbols_text(&p->symbols, level[k].full));

			if (type)
				return type;
		}
	}
	return NULL;
}

/* ---- shorter names ---------------------------------------------------------------------- */

/* Removes LENGTH bytes at TEXT and puts REPLACEMENT there, which is not longer. */
static void replace_part(char *text, size_t length, const char *replacement)
{
	const size_t size = strlen(replacement);

	memmove(text + size, text + length, strlen(text + length) + 1);
	memcpy(text, replacement, size);
}

/* Writes names as programmers do: without allocators that are the default, blanks between ">", and
 * tags of an ABI. */
static void shorten_name(char *text)
{
	static const char *const string[] = {
		"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
		"std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
		"std::__cxx11::basic_string<char>",
	};
	static const char allocator[] = ", std::allocator<";
	static const char abi[] = "[abi:cxx11]";
	char *at;

	while ((at = strstr(text, abi)))
		replace_part(at, sizeof(abi) - 1, "");
	for (size_t i = 0; i < sizeof(string) / sizeof(*string); i++) {
		while ((at = strstr(text, string[i])))
			replace_part(at, strlen(string[i]), "std::string");
	}
	while ((at = strstr(text, allocator))) {
		const size_t before = sizeof(allocator) - 1, length = argument_length(at + before);

		if (at[before + length] != '>')
			break;
		replace_part(at, before + length + 1, "");
	}
	while ((at = strstr(text, " >")))
		replace_part(at, 2, ">");
}

/* ---- all together ----------------------------------------------------------------------- */

/* Compilers number static variables of functions: "hidden.0". */
static void drop_number(char *text)
{
	char *dot = strrchr(text, '.');

	if (dot && dot > text && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1))
		*dot = '\0';
}

static void add_text(struct holder_names *n, char *text)
{
	n->text[n->count++] = text;
}

/* Returns the function of a frame, without calls that were inlined into it, or NULL. */
static const struct symbols_level *level_of_frame(const struct profile *p, const struct holders *h,
						  const struct mu_holder_root *root)
{
	const struct symbols_level *level;
	struct holder_frame frame;
	uint32_t count;

	if (!holder_frames_of_root(&frame, h, root, &p->modules))
		return NULL;
	level = profile_levels(p, profile_location(p, frame.pc, frame.module), &count);
	return count > 0 ? &level[count - 1] : NULL;
}

static void add_frame(struct holder_names *n, const struct profile *p,
		      const struct symbols_level *level, const char *name)
{
	if (level->file)
		n->line[n->count] = (struct holder_line){ symbols_text(&p->symbols, level->file),
							  level->line };
	add_text(n, xstrdup(level->full ? symbols_text(&p->symbols, level->full) : name));
}

static void add_roots(struct holder_names *n, const struct holders *h, const struct profile *p)
{
	for (uint32_t i = 0; i < h->head->roots; i++) {
		const struct symbols_level *level = level_of_frame(p, h, &h->root[i]);
		const char *name = holders_text(h, h->root[i].name);

		if (level) {
			add_frame(n, p, level, name);
			continue;
		}
		add_text(n, xstrdup(name));
		drop_number(n->text[n->count - 1]);
	}
}

/* The last moment that knows the class counts. */
static char *find_type(const struct holders *h, uint32_t count, const struct profile *p,
		       uint32_t site)
{
	for (uint32_t i = count; i-- > 0;) {
		const char *name = holders_type(&h[i], site);

		if (*name)
			return xasprintf("%s%s", type_prefix, name);
	}
	return type_of_stack(p, site);
}

/* Gives each site the number of its type in POOL. */
static void find_types(struct holder_names *n, const struct holders *h, uint32_t count,
		       const struct profile *p, struct strings *pool)
{
	for (uint32_t i = 0; i < n->sites; i++) {
		char *type = find_type(h, count, p, i);

		n->type[i] = type ? strings_add(pool, type, strlen(type)) : 0;
		free(type);
	}
}

/* Types are numbered behind the roots; 0 is none, since a text before them is no type's. */
static void add_types(struct holder_names *n, const struct strings *pool)
{
	for (uint32_t i = 0; i < n->sites; i++) {
		if (n->type[i])
			n->type[i] += n->count - 1;
	}
	for (uint32_t i = 1; i <= pool->count; i++)
		add_text(n, xstrdup(strings_get(pool, i)));
}

static void finish_names(struct holder_names *n)
{
	for (uint32_t i = 0; i < n->count; i++) {
		if (strncmp(n->text[i], type_words, sizeof(type_words) - 1) == 0)
			replace_part(n->text[i], sizeof(type_words) - 1, "");
		else if (strncmp(n->text[i], type_prefix, sizeof(type_prefix) - 1) == 0)
			n->text[i][0] = '\0';
		shorten_name(n->text[i]);
	}
}

void holder_names_init(struct holder_names *n, const struct holders *h, uint32_t count,
		       const struct profile *p)
{
	struct strings pool = { .count = 0 };
	size_t room = (size_t)p->sites.count + 1;

	*n = (struct holder_names){ .first = xcalloc((size_t)count + 1, sizeof(*n->first)),
				    .type = xcalloc(room, sizeof(*n->type)),
				    .sites = p->sites.count };
	for (uint32_t i = 0; i < count; i++)
		room += h[i].head->roots;
	n->text = xcalloc(room, sizeof(*n->text));
	n->line = xcalloc(room, sizeof(*n->line));
	add_text(n, xstrdup(""));
	for (uint32_t i = 0; i < count; i++) {
		n->first[i] = n->count;
		add_roots(n, &h[i], p);
	}
	n->first[count] = n->count;
	find_types(n, h, count, p, &pool);
	add_types(n, &pool);
	strings_free(&pool);
	demangle_list(n->text, n->count);
	finish_names(n);
}

const char *holder_names_root(const struct holder_names *n, uint32_t moment, uint32_t root)
{
	return n->text[n->first[moment] + root];
}

const struct holder_line *holder_names_line(const struct holder_names *n, uint32_t moment,
					    uint32_t root)
{
	return &n->line[n->first[moment] + root];
}

const char *holder_names_type(const struct holder_names *n, uint32_t site)
{
	return site < n->sites ? n->text[n->type[site]] : "";
}

void holder_names_free(struct holder_names *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->text[i]);
	free(n->text);
	free(n->first);
	free(n->line);
	free(n->type);
	*n = (struct holder_names){ .count = 0 };
}
