/* root_text.c -- What holds blocks, in words: variables, stacks, mappings, and sets of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/holders/root_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/units.h"
#include "cli/xmalloc.h"

static void put_object(FILE *out, const char *path)
{
	const char *base = strrchr(path, '/');

	if (*path)
		fprintf(out, " in %s", base ? base + 1 : path);
}

static void put_thread(FILE *out, const struct root_words *w, const struct mu_holder_root *root)
{
	if (root->thread == w->pid)
		fputs("the main thread", out);
	else if (root->thread)
		fprintf(out, "thread %" PRIu32, root->thread);
	else
		fputs("ended threads", out);
}

static void put_variable(FILE *out, const struct root_words *w, const struct mu_holder_root *root,
			 const char *name)
{
	const bool is_local = root->kind == MU_HOLDER_TLS;

	if (*name)
		fputs(name, out);
	else
		fputs(is_local && !root->object ? "what the C library keeps" :
						  "variables without a name", out);
	put_object(out, holders_text(w->h, root->object));
	if (is_local) {
		fputs(root->object ? ", thread-local of " : " for ", out);
		put_thread(out, w, root);
	}
}

static void put_mapping(FILE *out, const struct root_words *w, const struct mu_holder_root *root)
{
	const char *path = holders_text(w->h, root->object);
	char size[UNITS_LENGTH];

	if (root->kind == MU_HOLDER_SHARED)
		fputs(*path ? "the file " : "shared memory", out);
	else
		fprintf(out, "a mapping of %s at 0x%" PRIx64, units_bytes(size, root->size),
			root->address);
	if (root->kind == MU_HOLDER_SHARED || (*path && *path != '['))
		fputs(path, out);
}

/* "the stack of thread 4711, in run_server (server.c:80)" */
static void put_frame(FILE *out, const struct root_words *w, const struct mu_holder_root *root,
		      uint32_t number)
{
	const struct holder_line *at = holder_names_line(w->names, w->moment, number);
	const char *name = holder_names_root(w->names, w->moment, number);
	const char *base = at->file ? strrchr(at->file, '/') : NULL;

	fputs("the stack of ", out);
	put_thread(out, w, root);
	if (*name)
		fprintf(out, ", in %s", name);
	else if (root->address)
		fprintf(out, ", in 0x%" PRIx64, root->address);
	if (at->file)
		fprintf(out, " (%s:%" PRIu32 ")", base ? base + 1 : at->file, at->line);
	else
		put_object(out, holders_text(w->h, root->object));
}

static void put_root(FILE *out, const struct root_words *w, uint32_t number)
{
	const struct mu_holder_root *root = &w->h->root[number];
	const char *name = holder_names_root(w->names, w->moment, number);

	switch (root->kind) {
	case MU_HOLDER_GLOBAL:
	case MU_HOLDER_TLS:
		put_variable(out, w, root, name);
		break;
	case MU_HOLDER_STACK:
		put_frame(out, w, root, number);
		break;
	case MU_HOLDER_LOST:
		fputs("nothing: they are lost", out);
		break;
	default:
		put_mapping(out, w, root);
	}
}

char *root_text(const struct root_words *w, uint32_t root)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	put_root(out, w, root);
	xclose_memstream(out);
	return text;
}

char *root_text_of_set(const struct root_words *w, uint32_t number)
{
	const struct mu_holder_set *set = &w->h->set[number];
	char *text;
	size_t size;
	FILE *out;

	if (set->count > MU_HOLDER_SET_MOST)
		return xasprintf("each of more than %d others", MU_HOLDER_SET_MOST);
	out = xopen_memstream(&text, &size);
	fputs("each of: ", out);
	for (uint32_t i = 0; i < set->count; i++) {
		if (i > 0)
			fputs("; ", out);
		put_root(out, w, set->root[i]);
	}
	xclose_memstream(out);
	return text;
}
