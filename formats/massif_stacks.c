/* massif_stacks.c -- the stacks of a massif.out, and what its lines tell of places.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif_convert.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Finds the last WHAT in TEXT before END; NULL: none. */
static const char *find_last_text(const char *text, const char *end, const char *what)
{
	size_t length = strlen(what);

	for (const char *at = end - length; at >= text; at--) {
		if (memcmp(at, what, length) == 0)
			return at;
	}
	return NULL;
}

/* " (prog.c:7)" at the end, from its opening on; the line must be a number. */
static bool split_file_and_line(struct massif_place *place, const char *open, const char *end)
{
	const char *colon = memrchr(open, ':', (size_t)(end - open));
	char *rest;
	unsigned long line;

	if (!colon || colon[1] < '0' || colon[1] > '9')
		return false;
	line = strtoul(colon + 1, &rest, 10);
	if (rest != end - 1)
		return false;
	place->file = open + 2;
	place->file_length = (int)(colon - place->file);
	place->line = line > UINT32_MAX ? 0 : (uint32_t)line;
	return true;
}

/* Reads the part in parentheses behind the function; returns where the function ends. */
static const char *split_origin(struct massif_place *place, const char *text, const char *end)
{
	const char *open;

	if (end == text || end[-1] != ')')
		return end;
	/* A path may hold " (", and a function " (in ": the object's is the last of these. */
	open = find_last_text(text, end, " (in ");
	if (open) {
		place->object = open + strlen(" (in ");
		place->object_length = (int)(end - 1 - place->object);
		return open;
	}
	open = find_last_text(text, end, " (");
	return open && split_file_and_line(place, open, end) ? open : end;
}

struct massif_place massif_place(const char *text)
{
	struct massif_place place = { .function = "", .file = "", .object = "" };
	const char *end;
	char *rest;

	text += strspn(text, " \t");
	if (strncmp(text, "0x", 2) == 0) {
		place.address = strtoull(text, &rest, 16);
		if (strncmp(rest, ": ", 2) == 0)
			text = rest + 2;
		else
			place.address = 0;
	}
	end = text + strlen(text);
	if (place.address)
		end = split_origin(&place, text, end);
	place.function = text;
	place.function_length = (int)(end - text);
	if (place.function_length == 3 && memcmp(text, "???", 3) == 0)
		place.function_length = 0;
	if (place.object_length == 3 && memcmp(place.object, "???", 3) == 0)
		place.object_length = 0;
	return place;
}

const char *massif_place_name(const struct massif_place *place, char *buffer, size_t size)
{
	const char *object = place->object;
	int length = place->object_length;
	const char *slash = memrchr(object, '/', (size_t)length);

	if (slash) {
		length -= (int)(slash + 1 - object);
		object = slash + 1;
	}
	if (!place->address)
		snprintf(buffer, size, "[below threshold]");
	else if (place->function_length > 0)
		snprintf(buffer, size, "%.*s", place->function_length, place->function);
	else if (length > 0)
		snprintf(buffer, size, "[%.*s]", length, object);
	else
		snprintf(buffer, size, "0x%" PRIX64, place->address);
	return buffer;
}

/* A damaged tree may give the children more than their parent has. */
static uint64_t bytes_without_children(const struct massif_node *node)
{
	const struct massif_node *child = node + 1;
	uint64_t own = node->bytes;

	for (uint32_t left = node->children; left > 0; left--, child += child->size)
		own -= child->bytes < own ? child->bytes : own;
	return own;
}

void massif_stacks(const struct massif_file *m, const struct massif_snapshot *s,
		   massif_stack_fn fn, void *data)
{
	const struct massif_node *path[MASSIF_DEPTH_MAX];
	const struct massif_node *tree = massif_tree(m, s);

	for (uint32_t i = 0; i < s->node_count; i++) {
		uint64_t own = bytes_without_children(&tree[i]);

		if (tree[i].depth > 0)
			path[tree[i].depth - 1] = &tree[i];
		if (own > 0)
			fn(data, path, tree[i].depth, own);
	}
}
