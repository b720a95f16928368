/* massif_callgrind.c -- the stacks of a massif.out as a profile for KCachegrind.
 *
 * A paragraph for each function of each stack; readers add them up. formats/callgrind.c shows
 * the form.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif_convert.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/utf8.h"
#include "formats/callgrind.h"

/* Names of one kind, each written once: then its number stands for it. */
struct name_table {
	struct strings strings;
	bool *is_written;	/* by number; 0 is what has no name */
};

struct callgrind_place {
	uint32_t object, file, function;	/* of names */
	uint32_t line;
};

struct callgrind_writer {
	FILE *out;
	const struct massif_file *m;
	struct name_table objects, files, functions;
	struct callgrind_place
		*place;		/* by number of the text of a node; there are far fewer texts */
	uint64_t *charged;	/* by function: the last stack that it was on, from 1 on */
	uint64_t stacks;
	char buffer[1 << 16];
};

/* ---- names --------------------------------------------------------------------------------- */

static uint32_t find_or_add_name(struct name_table *names, const char *text, int length)
{
	char *copy = xstrndup(text, (size_t)length), *clean = utf8_clean(copy, "");
	uint32_t number = strings_add(&names->strings, clean, strlen(clean));

	free(copy);
	free(clean);
	return number;
}

static void index_all_places(struct callgrind_writer *w)
{
	for (uint32_t text = 0; text <= w->m->texts.count; text++) {
		struct massif_place place = massif_place(strings_get(&w->m->texts, text));
		const char *name = massif_place_name(&place, w->buffer, sizeof(w->buffer));

		w->place[text] = (struct callgrind_place){
			.object = find_or_add_name(&w->objects, place.object, place.object_length),
			.file = find_or_add_name(&w->files, place.file, place.file_length),
			.function = find_or_add_name(&w->functions, name, (int)strlen(name)),
			.line = place.line,
		};
	}
}

static void write_name(struct callgrind_writer *w, const char *key, struct name_table *names,
		       uint32_t number)
{
	callgrind_put_name(w->out, key, number, names->is_written,
			   number ? strings_get(&names->strings, number) : "???");
}

static void write_place_names(struct callgrind_writer *w, const struct callgrind_place *place,
			      const char *const what[3])
{
	write_name(w, what[0], &w->objects, place->object);
	write_name(w, what[1], &w->files, place->file);
	write_name(w, what[2], &w->functions, place->function);
}

/* ---- stacks -------------------------------------------------------------------------------- */

/* A function that is on a stack several times is charged where it is innermost; else its cost,
 * the sum of its lines, would exceed the whole. */
static void write_call_stack(void *data, const struct massif_node *const *path, size_t count,
			     uint64_t bytes)
{
	static const char *const own[3] = { "ob", "fl", "fn" };
	static const char *const called[3] = { "cob", "cfi", "cfn" };
	static const struct callgrind_place nowhere = { .line = 0 };
	struct callgrind_writer *w = data;
	const struct callgrind_place *callee = NULL;

	w->stacks++;
	for (size_t i = 0; i < (count ? count : 1); i++) {
		const struct callgrind_place *place = count ? &w->place[path[i]->text] : &nowhere;

		if (w->charged[place->function] != w->stacks) {
			w->charged[place->function] = w->stacks;
			write_place_names(w, place, own);
			if (callee) {
				write_place_names(w, callee, called);
				fprintf(w->out, "calls=0 %" PRIu32 "\n", callee->line);
			}
			fprintf(w->out, "%" PRIu32 " %" PRIu64 "\n\n", place->line, bytes);
		}
		callee = place;
	}
}

static void add_stack_bytes(void *data, const struct massif_node *const *path, size_t count,
			    uint64_t bytes)
{
	*(uint64_t *)data += bytes;
}

static void write_profile(struct callgrind_writer *w, const struct massif_snapshot *s,
			  const char *version)
{
	char *command = utf8_clean(w->m->cmd, "");
	uint64_t total = 0;

	fprintf(w->out, "# callgrind format\nversion: 1\ncreator: memusage-%s\ncmd: %s\n\n"
		"positions: line\nevent: curB : bytes live at snapshot %" PRIu64 "\n"
		"events: curB\n\n", version, command, s->number);
	massif_stacks(w->m, s, write_call_stack, w);
	massif_stacks(w->m, s, add_stack_bytes, &total);
	fprintf(w->out, "totals: %" PRIu64 "\n", total);
	free(command);
}

static bool *allocate_flags(const struct name_table *names)
{
	return xcalloc((size_t)names->strings.count + 1, sizeof(bool));
}

static void release_names(struct name_table *names)
{
	strings_free(&names->strings);
	free(names->is_written);
}

static void write_with_tables(struct callgrind_writer *w, const struct massif_snapshot *s,
			      const char *version)
{
	w->place = xcalloc((size_t)w->m->texts.count + 1, sizeof(*w->place));
	index_all_places(w);
	w->objects.is_written = allocate_flags(&w->objects);
	w->files.is_written = allocate_flags(&w->files);
	w->functions.is_written = allocate_flags(&w->functions);
	w->charged = xcalloc((size_t)w->functions.strings.count + 1, sizeof(*w->charged));
	write_profile(w, s, version);
}

void massif_to_callgrind(FILE *out, const struct massif_file *m, const struct massif_snapshot *s,
			 const char *version)
{
	struct callgrind_writer *w = xcalloc(1, sizeof(*w));

	w->out = out;
	w->m = m;
	write_with_tables(w, s, version);
	release_names(&w->objects);
	release_names(&w->files);
	release_names(&w->functions);
	free(w->place);
	free(w->charged);
	free(w);
}
