/* code.c -- what the code of a module is for --alloc-fn and --ignore-fn, as ranges.
 *
 * Where symbols and inlined calls begin and end divides the file's addresses into pieces with one
 * answer each, which the look-up of the reports gives for the first address of each. Lines and
 * inlined calls are looked up only where they can matter: in functions that are on a list, and
 * where such a function was inlined.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/code.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/symbols/demangle.h"
#include "profile/symbols/inlined.h"
#include "profile/symbols/module_file.h"
#include "profile/symbols/symbols_read.h"
#include "recording/recording.h"

enum { LEVELS_MAX = DEBUGINFO_LEVELS_MAX };

/* A range that is to be looked up with inlined calls. */
struct zone {
	uint64_t start, end;
};

struct work {
	const struct symbols_module *module;
	const struct symbols_options *options;
	const struct filter_options *names;
	struct module_file file;
	uint64_t *edge;
	uint32_t edge_count, edge_room;
	struct zone *zone;	/* those from symbols first, in order */
	uint32_t zone_count, zone_room, symbol_zones;
	struct symtab symtab;	/* one hit per piece */
	uint8_t *class;		/* enum mu_code_class, per piece */
	struct symbols_request *request;
};

/* An address that the recorder's words cannot express is not code; only a crafted file has one. */
static void append_edge(struct work *w, uint64_t address)
{
	if (address > MU_CODE_ADDRESS(UINT64_MAX))
		return;
	array_reserve(&w->edge, &w->edge_room, w->edge_count + 1, sizeof(*w->edge));
	w->edge[w->edge_count++] = address;
}

static void append_zone(struct work *w, uint64_t start, uint64_t end)
{
	array_reserve(&w->zone, &w->zone_room, w->zone_count + 1, sizeof(*w->zone));
	w->zone[w->zone_count++] = (struct zone){ start, end };
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort_unique_edges(struct work *w)
{
	uint32_t kept = 0;

	if (w->edge_count)
		qsort(w->edge, w->edge_count, sizeof(*w->edge), compare_addresses);
	for (uint32_t i = 0; i < w->edge_count; i++)
		if (kept == 0 || w->edge[i] != w->edge[kept - 1])
			w->edge[kept++] = w->edge[i];
	w->edge_count = kept;
}

/* ---- symbols ------------------------------------------------------------------------------ */

static void append_symbol_edges(const struct elf_symbol *symbol, void *data)
{
	struct work *w = data;

	if (symbol->address == 0 || symbol->size == 0 ||
	    symbol->address + symbol->size < symbol->address ||
	    !elf_file_is_code(&w->file.elf, symbol->address))
		return;
	append_edge(w, symbol->address);
	append_edge(w, symbol->address + symbol->size);
}

static enum mu_code_class class_of_function_kind(unsigned int kind)
{
	return kind & FILTER_ALLOC    ? MU_CODE_ALLOC :
	       kind & FILTER_IGNORE   ? MU_CODE_IGNORE :
	       kind & FILTER_NAMELESS ? MU_CODE_NAMELESS : MU_CODE_NAMED;
}

static enum mu_code_class class_of_symbol(const struct work *w, const char *symbol)
{
	char *demangled = symbol && !w->options->no_demangle ? demangle(symbol) : NULL;
	const char *name = demangled ? demangled : symbol;
	enum mu_code_class class = class_of_function_kind(filter_names_kind(w->names, &name, 1));

	free(demangled);
	return class;
}

/* Divides by the edges there are now, and asks the symbols for each piece. */
static void name_code_pieces(struct work *w)
{
	sort_unique_edges(w);
	free(w->symtab.hit);
	free(w->class);
	w->symtab = (struct symtab){ .code = &w->file.elf, .count = w->edge_count,
				     .hit = xcalloc((size_t)w->edge_count + 1,
						    sizeof(*w->symtab.hit)) };
	w->class = xcalloc((size_t)w->edge_count + 1, sizeof(*w->class));
	for (uint32_t i = 0; i < w->edge_count; i++)
		w->symtab.hit[i].address = w->edge[i];
	module_file_look_up(&w->file, &w->symtab);
	for (uint32_t i = 0; i < w->edge_count; i++) {
		const struct symtab_hit *hit = &w->symtab.hit[i];

		w->class[i] = i && hit->name && hit->name == hit[-1].name ?
			w->class[i - 1] : (uint8_t)class_of_symbol(w, hit->name);
	}
}

/* ---- inlined calls ------------------------------------------------------------------------ */

static bool is_ignored_name(const struct work *w, const char *name)
{
	for (size_t i = 0; i < w->names->ignore_fns; i++)
		if (strcmp(w->names->ignore_fn[i], name) == 0)
			return true;
	return false;
}

/* Tells whether a range overlaps a function that is on a list. */
static bool meets_symbol_zone(const struct work *w, uint64_t start, uint64_t end)
{
	size_t i = array_first_from(w->zone, w->symbol_zones, sizeof(*w->zone),
				    offsetof(struct zone, end), start + 1);

	return i < w->symbol_zones && w->zone[i].start < end;
}

static bool append_inlined_zone(const char *name, uint64_t start, uint64_t end, bool is_kept,
				void *data)
{
	struct work *w = data;

	if (!is_kept && !is_ignored_name(w, name) && !meets_symbol_zone(w, start, end))
		return false;
	append_edge(w, start);
	append_edge(w, end);
	append_zone(w, start, end);
	return true;
}

static void find_inlined_zones(struct work *w)
{
	int fd = w->options->no_inlines ? -1 : module_file_debug(&w->file);

	for (uint32_t i = 0; i + 1 < w->edge_count; i++)
		if (w->class[i] == MU_CODE_ALLOC || w->class[i] == MU_CODE_IGNORE)
			append_zone(w, w->edge[i], w->edge[i + 1]);
	w->symbol_zones = w->zone_count;
	if (fd >= 0)
		inlined_walk(fd, append_inlined_zone, w);
}

static int compare_zone_starts(const void *a, const void *b)
{
	const struct zone *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The pieces that lie in a zone, as requests. */
static size_t make_requests(struct work *w)
{
	uint64_t reach = 0;
	uint32_t zone = 0;
	size_t count = 0;

	if (w->zone_count)
		qsort(w->zone, w->zone_count, sizeof(*w->zone), compare_zone_starts);
	w->request = xcalloc((size_t)w->edge_count + 1, sizeof(*w->request));
	for (uint32_t i = 0; i < w->edge_count; i++) {
		for (; zone < w->zone_count && w->zone[zone].start <= w->edge[i]; zone++)
			if (w->zone[zone].end > reach)
				reach = w->zone[zone].end;
		if (w->edge[i] < reach)
			w->request[count++] = (struct symbols_request){ .address = w->edge[i],
									.module = 0 };
	}
	return count;
}

static void set_piece_class(size_t request, const struct raw_level *level, size_t count,
			    void *data)
{
	struct work *w = data;
	const char *name[LEVELS_MAX];
	size_t piece = array_first_from(w->edge, w->edge_count, sizeof(*w->edge), 0,
					w->request[request].address);

	for (size_t i = 0; i < count && i < LEVELS_MAX; i++)
		name[i] = level[i].name;
	if (piece < w->edge_count)
		w->class[piece] =
			(uint8_t)class_of_function_kind(filter_names_kind(w->names, name, count));
}

static void classify_pieces_by_name(struct work *w)
{
	struct symbols_job job = { .module = w->module, .request = w->request,
				   .options = w->options, .found = set_piece_class, .data = w };

	job.end = make_requests(w);
	job.request = w->request;
	if (job.end)
		symbols_read(&job);
}

/* ---- everything --------------------------------------------------------------------------- */

static void make_range_words(const struct work *w, struct code_ranges *r)
{
	r->word = xcalloc((size_t)w->edge_count + 1, sizeof(*r->word));
	for (uint32_t i = 0; i < w->edge_count; i++)
		if (i == 0 || w->class[i] != w->class[i - 1])
			r->word[r->count++] = MU_CODE_WORD(w->edge[i], w->class[i]);
}

int code_ranges(struct code_ranges *r, const struct symbols_module *module,
		const struct symbols_options *o, const struct filter_options *names,
		struct mu_error *err)
{
	struct work w = { .module = module, .options = o, .names = names };
	int result = -1;

	*r = (struct code_ranges){ .count = 0 };
	if (module_file_open(&w.file, module, o->root, o->debuginfod, MODULE_FILE_LINES, err) !=
	    SYMBOLS_READ)
		goto out;
	module_file_symbols(&w.file, append_symbol_edges, &w);
	name_code_pieces(&w);
	find_inlined_zones(&w);
	name_code_pieces(&w);
	classify_pieces_by_name(&w);
	make_range_words(&w, r);
	result = 0;
out:
	module_file_close(&w.file);
	free(w.edge);
	free(w.zone);
	free(w.symtab.hit);
	free(w.class);
	free(w.request);
	return result;
}

void code_ranges_free(struct code_ranges *r)
{
	free(r->word);
	*r = (struct code_ranges){ .count = 0 };
}
