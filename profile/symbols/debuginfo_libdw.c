/* debuginfo_libdw.c -- lines and inlined calls of code addresses, by elfutils' libdw.
 *
 * All addresses of a file are looked up together. A first pass over the compilation units finds
 * which unit holds which address; then each of these units is read once: its line table, and
 * its tree of entries down to the inlined calls around the addresses that are wanted. libdw keeps
 * the data of a unit until the file is closed, so the file is opened again after some millions of
 * lines; that bounds the memory.
 *
 * Source DWARF 5, sections 3.1 (units), 3.3.8 (inlined subroutines), 6.2 (lines).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/names/scope_names.h"

enum {
	DEPTH_MAX = 300,	/* nested entries; far beyond what compilers make */
	REOPEN_LINES = 2000000	/* about 100 MB of libdw's memory */
};

/* An inlined call or a function that holds wanted addresses. */
struct scope {
	uint32_t parent;	/* index of the scope around it; 0 none */
	uint32_t call_line;	/* where it was called, in the scope around it */
	uint64_t call_file;	/* index in the unit's table of files */
	const char *name;
	const char *linkage;
	char *scoped;		/* NULL: see struct debuginfo_level */
};

/* The unit being read. Addresses and scopes are those wanted in it. */
struct dwarf_unit {
	Dwarf_Die die;
	Dwarf_Lines *lines;
	size_t line_count;
	Dwarf_Files *files;
	size_t file_count;
	const char *const *directory;
	size_t directory_count;
	uint64_t *address;	/* ascending */
	uint32_t *innermost;	/* scope of each address; 0 none */
	size_t count;
	size_t left;		/* addresses without a scope so far */
	struct scope *scope;	/* [0] is unused */
	uint32_t scope_count;
	uint32_t scope_room;
	struct scope_names names;
};

/* A unit that is to be read. */
struct die_place {
	Dwarf_Off die;
	size_t count;		/* addresses it owns */
};

struct lookup {
	const uint64_t *address;
	size_t count;
	uint32_t *owner;	/* per address: its place + 1, or 0 */
	struct die_place *place;
	uint32_t place_count;
	uint32_t place_room;
	int lacks;		/* enum debuginfo_lack */
	debuginfo_fn found;
	void *data;
};

static size_t first_index_from(const uint64_t *address, size_t count, uint64_t from)
{
	return array_first_from(address, count, sizeof(*address), 0, from);
}

/* ---- which unit holds which address ----------------------------------------------------- */

static void append_place_die(struct lookup *l, Dwarf_Die *die)
{
	array_reserve(&l->place, &l->place_room, l->place_count + 1, sizeof(*l->place));
	l->place[l->place_count++] = (struct die_place){ .die = dwarf_dieoffset(die) };
}

/* Address 0 is where linkers leave the ranges of functions that they dropped. */
static void claim_unit_addresses(struct lookup *l, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	bool is_known = false;

	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		size_t i = first_index_from(l->address, l->count, start);

		for (; start > 0 && i < l->count && l->address[i] < end; i++) {
			if (l->owner[i])
				continue;
			if (!is_known)
				append_place_die(l, die);
			is_known = true;
			l->owner[i] = l->place_count;
			l->place[l->place_count - 1].count++;
		}
	}
}

static void claim_all_units(struct lookup *l, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			claim_unit_addresses(l, &die);
}

/* ---- the tree of a unit ------------------------------------------------------------------ */

static const char *attribute_text(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute at;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &at));
}

static uint64_t attribute_number(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute at;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, attribute, &at), &value) == 0 ? value : 0;
}

static uint32_t append_scope(struct dwarf_unit *u, Dwarf_Die *die, uint32_t parent)
{
	const char *linkage;

	array_reserve(&u->scope, &u->scope_room, u->scope_count + 1, sizeof(*u->scope));
	linkage = attribute_text(die, DW_AT_linkage_name);
	if (!linkage)
		linkage = attribute_text(die, DW_AT_MIPS_linkage_name);
	u->scope[u->scope_count] = (struct scope){
		.parent = parent,
		.call_line = (uint32_t)attribute_number(die, DW_AT_call_line),
		.call_file = attribute_number(die, DW_AT_call_file),
		.name = attribute_text(die, DW_AT_name),
		.linkage = linkage,
		.scoped = linkage ? NULL : scope_names_of(&u->names, die),
	};
	return u->scope_count++;
}

/* A run of wanted addresses, and the scope around them. */
struct span {
	size_t first, end;
	uint32_t scope;
	unsigned int depth;
};

static void walk_child_dies(struct dwarf_unit *u, Dwarf_Die *parent, struct span around);

/* Tells whether DIE holds wanted addresses, and narrows SPAN to them. */
static bool hits_any_address(struct dwarf_unit *u, Dwarf_Die *die, struct span *span,
			     bool *has_ranges)
{
	struct span narrow = { .first = span->end, .end = span->first };
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	*has_ranges = false;
	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		size_t from, to;

		*has_ranges = true;
		if (start == 0)
			continue;
		from = first_index_from(u->address, u->count, start);
		to = first_index_from(u->address, u->count, end);
		from = from > span->first ? from : span->first;
		to = to < span->end ? to : span->end;
		if (from >= to)
			continue;
		narrow.first = from < narrow.first ? from : narrow.first;
		narrow.end = to > narrow.end ? to : narrow.end;
	}
	if (narrow.first >= narrow.end)
		return false;
	span->first = narrow.first;
	span->end = narrow.end;
	return true;
}

/* Make SCOPE the innermost one of the addresses that DIE really holds. */
static void assign_scope_to_span(struct dwarf_unit *u, Dwarf_Die *die, const struct span *span,
				 uint32_t scope)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		size_t i = first_index_from(u->address, u->count, start);

		for (i = i > span->first ? i : span->first;
		     start > 0 && i < span->end && u->address[i] < end; i++) {
			u->left -= u->innermost[i] == 0;
			u->innermost[i] = scope;
		}
	}
}

static void enter_scope_range(struct dwarf_unit *u, Dwarf_Die *die, struct span span, bool is_scope)
{
	bool has_ranges;

	if (!hits_any_address(u, die, &span, &has_ranges) && (has_ranges || is_scope))
		return;
	if (is_scope) {
		uint32_t scope = append_scope(u, die, span.scope);

		assign_scope_to_span(u, die, &span, scope);
		span.scope = scope;
	}
	walk_child_dies(u, die, span);
}

static void walk_child_dies(struct dwarf_unit *u, Dwarf_Die *parent, struct span around)
{
	Dwarf_Die die;

	if (around.depth++ > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
			enter_scope_range(u, &die, around, true);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			enter_scope_range(u, &die, around, false);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			if (around.scope == 0)
				walk_child_dies(u, &die, around);
			break;
		default:
			break;
		}
	} while ((around.scope || u->left) && dwarf_siblingof(&die, &die) == 0);
}

/* ---- lines ------------------------------------------------------------------------------- */

/* The last line that begins at or before ADDRESS; libdw has them sorted. */
static Dwarf_Line *line_at_address(const struct dwarf_unit *u, uint64_t address)
{
	size_t low = 0, high = u->line_count;
	Dwarf_Line *line;
	bool is_end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr at = UINT64_MAX;

		dwarf_lineaddr(dwarf_onesrcline(u->lines, middle), &at);
		if (at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	line = low ? dwarf_onesrcline(u->lines, low - 1) : NULL;
	return line && dwarf_lineendsequence(line, &is_end) == 0 && !is_end ? line : NULL;
}

/* Where DIRECTORY, below TOP if it is relative, ends in PATH; 0 if PATH does not begin so. */
static size_t length_of_directory(const char *path, const char *top, const char *directory)
{
	size_t length = 0;

	if (directory[0] != '/') {
		length = strlen(top);
		if (strncmp(path, top, length) != 0 || path[length++] != '/')
			return 0;
	}
	if (strncmp(path + length, directory, strlen(directory)) != 0)
		return 0;
	length += strlen(directory);
	return path[length] == '/' ? length + 1 : 0;
}

/* libdw joins directory and name to a path; Massif prints the name. The longest directory that fits
 * counts. The first is that of the compilation. */
static uint32_t base_of_path(const struct dwarf_unit *u, const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	size_t base = 0;

	for (size_t i = 0; slash && i < u->directory_count; i++) {
		const char *directory = u->directory[i];
		size_t end = directory ? length_of_directory(path,
							     u->directory[0] ? u->directory[0] : "",
							     directory) :
					 0;

		base = end > base ? end : base;
	}
	return (uint32_t)(base || !slash ? base : (size_t)(slash + 1 - path));
}

/* libdw leaves what is relative to the directory of the compilation as it is (DWARF 5). Where
 * that one is absolute the path becomes so, in memory to be freed; else NULL. */
static char *make_path_absolute(const struct dwarf_unit *u, const char *path)
{
	const char *top = u->directory_count ? u->directory[0] : NULL;
	char *joined;

	if (!path || path[0] == '/' || !top || top[0] != '/' ||
	    asprintf(&joined, "%s/%s", top, path) < 0)
		return NULL;
	return joined;
}

static void report_address(struct lookup *l, const struct dwarf_unit *u, size_t i, size_t index)
{
	struct debuginfo_level level[DEBUGINFO_LEVELS_MAX];
	char *joined[DEBUGINFO_LEVELS_MAX];
	Dwarf_Line *line = line_at_address(u, u->address[i]);
	uint32_t scope = u->innermost[i];
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	uint32_t number = 0;
	size_t count = 0;
	int value;

	if (line && dwarf_lineno(line, &value) == 0)
		number = (uint32_t)value;
	do {
		const struct scope *s = &u->scope[scope];

		joined[count] = make_path_absolute(u, file);
		file = joined[count] ? joined[count] : file;
		level[count++] = (struct debuginfo_level){ .file = file, .line = number,
							   .base = base_of_path(u, file),
							   .name = scope ? s->name : NULL,
							   .linkage = scope ? s->linkage : NULL,
							   .scoped = scope ? s->scoped : NULL };
		if (scope == 0)
			break;
		file = s->call_file < u->file_count ?
			dwarf_filesrc(u->files, s->call_file, NULL, NULL) : NULL;
		number = s->call_line;
		scope = s->parent;
	} while (scope && count < DEBUGINFO_LEVELS_MAX);
	l->found(index, level, count, l->data);
	while (count > 0)
		free(joined[--count]);
}

/* Goes on in the file of a split unit (.dwo), if there is one. */
static void follow_split_unit(struct lookup *l, struct dwarf_unit *u)
{
	Dwarf_Die split;
	uint8_t type = 0;

	if (dwarf_cu_info(u->die.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) != 0 ||
	    type != DW_UT_skeleton)
		return;
	if (dwarf_tag(&split) == DW_TAG_compile_unit)
		u->die = split;
	else
		l->lacks |= DEBUGINFO_NO_SPLIT;
}

static void free_scopes(struct dwarf_unit *u)
{
	for (uint32_t i = 1; i < u->scope_count; i++)
		free(u->scope[i].scoped);
	u->scope_count = 1;
}

static void read_unit_scopes(struct lookup *l, struct dwarf_unit *u, Dwarf *dwarf, Dwarf_Off offset)
{
	u->line_count = u->file_count = 0;
	free_scopes(u);
	u->left = u->count;
	memset(u->innermost, 0, u->count * sizeof(*u->innermost));
	if (!dwarf_offdie(dwarf, offset, &u->die))
		return;
	if (dwarf_getsrclines(&u->die, &u->lines, &u->line_count) != 0)
		u->line_count = 0;
	follow_split_unit(l, u);
	if (dwarf_getsrcfiles(&u->die, &u->files, &u->file_count) != 0)
		u->file_count = 0;
	if (!u->file_count ||
	    dwarf_getsrcdirs(u->files, &u->directory, &u->directory_count) != 0)
		u->directory_count = 0;
	walk_child_dies(u, &u->die, (struct span){ .end = u->count });
}

/* ---- everything --------------------------------------------------------------------------- */

/* Indices of addresses, those of one place together, in the order of places. */
static size_t *sort_by_place(const struct lookup *l)
{
	size_t *index = xreallocarray(NULL, l->count + 1, sizeof(*index));
	size_t *next = xreallocarray(NULL, l->place_count + 1, sizeof(*next));
	size_t sum = 0;

	for (uint32_t k = 0; k < l->place_count; k++) {
		next[k] = sum;
		sum += l->place[k].count;
	}
	for (size_t i = 0; i < l->count; i++)
		if (l->owner[i])
			index[next[l->owner[i] - 1]++] = i;
	free(next);
	return index;
}

static void read_unit_places(struct lookup *l, struct dwarf_unit *u, int fd)
{
	size_t *index = sort_by_place(l);
	const size_t *at = index;
	Dwarf *dwarf = NULL;
	size_t lines = 0;

	for (uint32_t k = 0; k < l->place_count; k++) {
		if (!dwarf || lines > REOPEN_LINES) {
			scope_names_free(&u->names);
			dwarf_end(dwarf);
			dwarf = dwarf_begin(fd, DWARF_C_READ);
			lines = 0;
		}
		if (!dwarf)
			break;
		u->count = l->place[k].count;
		for (size_t i = 0; i < u->count; i++)
			u->address[i] = l->address[at[i]];
		read_unit_scopes(l, u, dwarf, l->place[k].die);
		lines += u->line_count;
		for (size_t i = 0; i < u->count; i++)
			report_address(l, u, i, at[i]);
		at += u->count;
	}
	dwarf_end(dwarf);
	free(index);
}

const char *debuginfo_version(void)
{
	return dwfl_version(NULL);
}

int debuginfo_lookup(int fd, const uint64_t *address, size_t count, debuginfo_fn found,
		     void *data, struct mu_error *err)
{
	struct lookup l = { .address = address, .count = count, .found = found, .data = data };
	struct dwarf_unit u = { .count = 0 };
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);

	if (!dwarf)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "no debug information: %s",
				    dwarf_errmsg(-1));
	l.owner = xcalloc(count + 1, sizeof(*l.owner));
	u.address = xcalloc(count + 1, sizeof(*u.address));
	u.innermost = xcalloc(count + 1, sizeof(*u.innermost));
	u.scope = xcalloc(1, sizeof(*u.scope));
	u.scope_room = 1;
	claim_all_units(&l, dwarf);
	l.lacks = dwarf_getalt(dwarf) ? 0 : DEBUGINFO_NO_COMMON;
	dwarf_end(dwarf);
	read_unit_places(&l, &u, fd);
	free(l.owner);
	free(l.place);
	free(u.address);
	free(u.innermost);
	free_scopes(&u);
	free(u.scope);
	scope_names_free(&u.names);
	return l.lacks;
}

/* ---- .gnu_debugdata ------------------------------------------------------------------------ */

struct debuginfo_mini {
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwfl_Callbacks callbacks;
};

static int find_no_debug_file(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			      const char *file, const char *link, GElf_Word crc, char **debug_file)
{
	return -1;
}

struct debuginfo_mini *debuginfo_mini_open(int fd)
{
	struct debuginfo_mini *mini = xcalloc(1, sizeof(*mini));
	int copy = dup(fd);

	if (copy < 0)
		goto failed;
	mini->callbacks.find_debuginfo = find_no_debug_file;
	mini->dwfl = dwfl_begin(&mini->callbacks);
	if (!mini->dwfl)
		goto failed;
	/* libdwfl, which owns the descriptor from here on, unpacks the section when it looks for
	 * symbols and finds no others. */
	mini->module = dwfl_report_elf(mini->dwfl, "", "", copy, 0, false);
	if (!mini->module)
		goto failed;
	copy = -1;
	if (dwfl_report_end(mini->dwfl, NULL, NULL) != 0)
		goto failed;
	return mini;
failed:
	if (copy >= 0)
		close(copy);
	debuginfo_mini_close(mini);
	return NULL;
}

void debuginfo_mini_symbols(struct debuginfo_mini *mini, elf_symbol_fn visit, void *data)
{
	int count = dwfl_module_getsymtab(mini->module);

	for (int i = 1; i < count; i++) {
		GElf_Sym entry;
		GElf_Addr address;
		GElf_Word section;
		Dwarf_Addr bias;
		const char *name = dwfl_module_getsym_info(mini->module, i, &entry, &address,
							   &section, NULL, &bias);
		struct elf_symbol symbol = { .address = entry.st_value, .size = entry.st_size,
					     .name = name, .type = GELF_ST_TYPE(entry.st_info),
					     .binding = GELF_ST_BIND(entry.st_info) };

		if (name && *name && section != SHN_UNDEF)
			visit(&symbol, data);
	}
}

void debuginfo_mini_close(struct debuginfo_mini *mini)
{
	if (mini)
		dwfl_end(mini->dwfl);
	free(mini);
}
