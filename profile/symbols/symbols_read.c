/* symbols_read.c -- read the names of one module.
 *
 * Functions come from the symbol tables of the module and of its debug file, lines and inlined
 * calls from DWARF, wherever it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/symbols_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/xmalloc.h"
#include "profile/base/file.h"
#include "profile/names/names_cache.h"
#include "profile/symbols/demangle.h"
#include "profile/symbols/module_file.h"
#include "profile/symbols/perf_map.h"

struct reading {
	const struct symbols_job *job;
	struct module_file file;
	struct symtab symtab;
	bool *is_told;		/* per request of the job */
	size_t *wanted;		/* indices of requests whose lines are looked up */
	struct names_key key;
	bool is_incomplete;
};

/* Texts of one level that must be freed. */
struct texts {
	char *name;
	char *full;
};

static char *demangle_symbol(const struct reading *r, const char *name)
{
	return name && !r->job->options->no_demangle ? demangle(name) : NULL;
}

/* The name of a symbol: for Massif with a version, for people without. */
static void name_symbol_level(const struct reading *r, const char *symbol,
			      struct raw_level *level, struct texts *texts)
{
	char *at;

	texts->name = demangle_symbol(r, symbol);
	level->name = texts->name ? texts->name : symbol;
	level->full = level->name;
	if (!strchr(symbol, '@'))
		return;
	texts->full = xstrdup(symbol);
	at = strchr(texts->full, '@');
	if (at == texts->full)
		return;
	*at = '\0';
	at = demangle_symbol(r, texts->full);
	if (at) {
		free(texts->full);
		texts->full = at;
	}
	level->full = texts->full;
}

static void name_inlined_level(const struct reading *r, const struct debuginfo_level *from,
			       struct raw_level *level, struct texts *texts)
{
	texts->full = demangle_symbol(r, from->linkage);
	level->name = from->name;
	level->full = texts->full ? texts->full : from->scoped ? from->scoped : from->name;
}

/* The function around everything. DWARF knows its name too, but Massif does not look there. */
static void name_function(const struct reading *r, size_t index, const struct debuginfo_level *from,
			  struct raw_level *level, struct texts *texts)
{
	const char *symbol = r->symtab.hit[index].name;

	if (symbol) {
		name_symbol_level(r, symbol, level, texts);
	} else if (from) {
		name_inlined_level(r, from, level, texts);
		level->name = NULL;
	}
}

static void report_levels(struct reading *r, size_t index, const struct debuginfo_level *from,
			  size_t count)
{
	struct raw_level level[DEBUGINFO_LEVELS_MAX] = { { .line = 0 } };
	struct texts texts[DEBUGINFO_LEVELS_MAX] = { { .name = NULL } };
	bool is_short = r->job->options->no_inlines || count == 0;
	size_t last = is_short ? 0 : count - 1;

	for (size_t i = 0; i <= last; i++) {
		level[i].file = count ? from[i].file : NULL;
		level[i].base = count ? from[i].base : 0;
		level[i].line = count ? from[i].line : 0;
		if (i < last)
			name_inlined_level(r, &from[i], &level[i], &texts[i]);
		else
			name_function(r, index, count ? &from[count - 1] : NULL, &level[i],
				      &texts[i]);
	}
	r->is_told[index] = true;
	if (last > 0 || level[0].name || level[0].full || level[0].file)
		r->job->found(r->job->first + index, level, last + 1, r->job->data);
	for (size_t i = 0; i <= last; i++) {
		free(texts[i].name);
		free(texts[i].full);
	}
}

static void report_dwarf_levels(size_t index, const struct debuginfo_level *level, size_t count,
				void *data)
{
	struct reading *r = data;

	report_levels(r, r->wanted[index], level, count);
}

/* Tells whether the debug information has texts in a file that dwz has made. */
static bool has_common_file(const struct reading *r)
{
	struct elf_section section;

	return elf_file_section(&r->file.elf, ".gnu_debugaltlink", &section) ||
	       (r->file.debug.data &&
		elf_file_section(&r->file.debug, ".gnu_debugaltlink", &section));
}

static void read_line_tables(struct reading *r)
{
	const struct symbols_job *job = r->job;
	size_t room = job->end - job->first + 1, count = 0;
	int fd = module_file_debug(&r->file), lacks;
	uint64_t *address;

	if (fd < 0)
		return;
	r->is_incomplete = true;
	address = xcalloc(room, sizeof(*address));
	r->wanted = xcalloc(room, sizeof(*r->wanted));
	for (size_t i = 0; i < job->end - job->first; i++) {
		if (r->is_told[i])
			continue;
		address[count] = job->request[job->first + i].address;
		r->wanted[count++] = i;
	}
	lacks = debuginfo_lookup(fd, address, count, report_dwarf_levels, r, NULL);
	r->is_incomplete = lacks < 0 || (lacks & DEBUGINFO_NO_SPLIT) != 0 ||
			   ((lacks & DEBUGINFO_NO_COMMON) != 0 && has_common_file(r));
	free(address);
}

static void read_symbol_names(struct reading *r)
{
	const struct symbols_job *job = r->job;
	size_t count = job->end - job->first;

	module_file_look_up(&r->file, &r->symtab);
	read_line_tables(r);
	for (size_t i = 0; i < count; i++)
		if (!r->is_told[i])
			report_levels(r, i, NULL, 0);
}

/* A file that keeps its time of change, but is another, is not noticed. */
static bool is_younger_than_process(const struct reading *r)
{
	uint64_t start_ns = r->job->options->start_ns;

	return r->job->module->id.length == 0 && start_ns > 0 &&
	       file_is_younger(r->file.elf.fd, start_ns);
}

/* Opens the files below one root. The same path may name one file before a process enters a chroot
 * and another one after that. */
static enum symbols_state open_below_root(struct reading *r, const char *root)
{
	const struct symbols_job *job = r->job;
	enum symbols_state state = module_file_open(&r->file, job->module, root,
						    job->options->debuginfod, MODULE_FILE_LINES,
						    NULL);

	return state == SYMBOLS_READ && is_younger_than_process(r) ? SYMBOLS_DOUBTFUL : state;
}

static enum symbols_state open_module_files(struct reading *r)
{
	const struct symbols_options *o = r->job->options;

	for (size_t i = 0; i < o->root_count; i++) {
		enum symbols_state state = open_below_root(r, o->roots[i]);

		if (symbols_state_has_names(state))
			return state;
		module_file_close(&r->file);
	}
	return open_below_root(r, o->root);
}

/* The disk space of a file: holes are no work. */
static uint64_t file_size_bytes(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return 0;
	return (uint64_t)st.st_blocks * 512;
}

/* All that the answer depends on, but the version of the programs. */
static void make_names_key(const struct reading *r, struct names_key *key)
{
	const struct symbols_options *o = r->job->options;
	struct build_id id;

	_Static_assert((int)NAMES_BUILD_ID_MAX == BUILD_ID_MAX, "a key has room for a build-id");
	memset(key, 0, sizeof(*key));
	strncpy(key->reader, debuginfo_version(), sizeof(key->reader) - 1);
	names_identity_read(&key->module, r->file.elf.fd);
	names_identity_read(&key->debug, r->file.debug.fd);
	if (elf_file_build_id(&r->file.elf, &id)) {
		key->build_id_length = id.length;
		memcpy(key->build_id, id.byte, id.length);
	}
	key->flags = (o->no_inlines ? 1u : 0) | (o->no_demangle ? 2u : 0);
}

static void tell_opened(struct reading *r, enum symbols_state state)
{
	const struct symbols_opened opened = {
		.state = state,
		.bytes = file_size_bytes(r->file.elf.fd) + file_size_bytes(r->file.debug.fd),
		.key = &r->key,
	};

	make_names_key(r, &r->key);
	r->job->opened(&opened, r->is_told, r->job->data);
}

/* A file that was written to while it was read gives an answer of two files. */
static bool has_changed_since_opening(const struct reading *r)
{
	struct names_key now;

	make_names_key(r, &now);
	return memcmp(&now, &r->key, sizeof(now)) != 0;
}

static enum symbols_state read_module_names(struct reading *r)
{
	const struct symbols_job *job = r->job;
	size_t count = job->end - job->first;
	enum symbols_state state = open_module_files(r);

	if (!symbols_state_has_names(state))
		return state;
	r->symtab = (struct symtab){ .code = &r->file.elf, .count = count,
				     .hit = xcalloc(count + 1, sizeof(*r->symtab.hit)) };
	r->is_told = xcalloc(count + 1, sizeof(*r->is_told));
	if (job->opened)
		tell_opened(r, state);
	for (size_t i = 0; i < count; i++)
		r->symtab.hit[i].address = job->request[job->first + i].address;
	read_symbol_names(r);
	if (job->is_incomplete)
		*job->is_incomplete = r->is_incomplete || has_changed_since_opening(r);
	return state;
}

enum symbols_state symbols_read(const struct symbols_job *job)
{
	struct reading r = { .job = job };
	enum symbols_state state;

	if (!job->module->path)
		return perf_map_read(job) ? SYMBOLS_READ : SYMBOLS_MISSING;
	state = read_module_names(&r);
	module_file_close(&r.file);
	free(r.symtab.hit);
	free(r.is_told);
	free(r.wanted);
	return state;
}
