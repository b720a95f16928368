/* leak_line.c -- Lines of Memcheck's reports: text, and call stacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/leaks/leak_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "profile/symbols/symbols.h"

/* ---- text -------------------------------------------------------------------------------- */

void leak_line_begin(const struct leak_writer *w)
{
	fprintf(w->out, "==%" PRIu32 "== ", w->r->pid);
}

void leak_line_put(const struct leak_writer *w, const char *format, ...)
{
	va_list arguments;

	leak_line_begin(w);
	va_start(arguments, format);
	vfprintf(w->out, format, arguments);
	va_end(arguments);
	putc('\n', w->out);
}

/* ---- call stacks ------------------------------------------------------------------------ */

/* The functions of the recorder that allocate, in the order of mu_examined.entry. */
static const struct {
	enum mu_fn fn;
	const char *name;
} entries[MU_EXAMINED_ENTRIES] = {
	{ MU_FN_MALLOC, "malloc" }, { MU_FN_REALLOC, "realloc" }, { MU_FN_CALLOC, "calloc" },
	{ MU_FN_MEMALIGN, "memalign" },
};

static void put_place(const struct leak_writer *w, bool is_first, const struct symbols_place *place)
{
	leak_line_begin(w);
	fputs(is_first ? "   at " : "   by ", w->out);
	symbols_put_massif(w->out, place, w->r->o.strip, w->r->o.strips);
	putc('\n', w->out);
}

/* A name that memusage has given, as [before the attach], is not one of a function. */
static const char *name_of(const struct profile *p, const struct symbols_level *level)
{
	const char *name = symbols_text(&p->symbols, level->name);

	return *name ? name : symbols_text(&p->symbols, level->full);
}

/* The levels of one frame: inlined calls have lines of their own. */
static void put_frame(const struct leak_writer *w, uint32_t location, bool is_first)
{
	const struct profile *p = w->r->filter->profile;
	struct symbols_place place = { .address = p->location[location].pc - 1, .name = "",
				       .file = "", .object = profile_object(p, location) };
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);
	const uint32_t lines = w->r->o.no_inlines || count == 0 ? 1 : count;

	for (uint32_t i = 0; i < lines; i++) {
		if (count) {
			place.name = name_of(p, &level[i + 1 == lines ? count - 1 : i]);
			place.file = symbols_text(&p->symbols, level[i].file);
			place.base = level[i].base;
			place.line = level[i].line;
		}
		put_place(w, is_first && i == 0, &place);
	}
}

/* operator new is the program's own frame: it is the function that allocates for Memcheck, too. */
static bool is_operator_new(const struct profile *p, uint32_t frame)
{
	uint32_t count;
	const struct symbols_level *level =
		profile_levels(p, p->frame[frame].location, &count);

	return count > 0 && strncmp(symbols_text(&p->symbols, level[count - 1].name),
				    "operator new", strlen("operator new")) == 0;
}

const char *leak_line_allocating_function(const struct leak_report *r, uint32_t site,
					  uint64_t *address)
{
	const struct profile *p = r->filter->profile;
	const struct site *s = &p->sites.site[site];
	const uint32_t frame = p->stack[s->stack].frame;
	unsigned int i = 0;

	while (i < MU_EXAMINED_ENTRIES && entries[i].fn != s->fn)
		i++;
	if (i == MU_EXAMINED_ENTRIES || (frame && is_operator_new(p, frame)))
		return NULL;
	*address = r->entry[i];
	return entries[i].name;
}

static bool put_allocating_function(const struct leak_writer *w, uint32_t site)
{
	uint64_t address;
	const char *name = leak_line_allocating_function(w->r, site, &address);

	if (name)
		put_place(w, true, &(struct symbols_place){
				   .address = address, .name = name, .file = "",
				   .object = w->r->filter->profile->notes & MU_NOTE_ATTACHED ?
						     "libc.so.6" : "libmemusage.so" });
	return name != NULL;
}

void leak_line_put_stack(const struct leak_writer *w, uint32_t site)
{
	const struct profile *p = w->r->filter->profile;
	const struct site *s = &p->sites.site[site];
	uint32_t frame = p->stack[s->stack].frame;
	const bool has_first = put_allocating_function(w, site);

	for (unsigned int i = has_first; frame && i < w->r->o.callers; i++) {
		const uint32_t location = p->frame[frame].location;

		if (filter_is_below_main(w->r->filter, location) && !w->r->o.show_below_main)
			break;
		put_frame(w, location, i == 0);
		frame = p->frame[frame].parent;
	}
}
