/* module_file.c -- The files that hold a module's names: its own, and a separate debug file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/module_file.h"

#include <elf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "profile/base/crc32.h"
#include "profile/symbols/debuginfod.h"
#include "profile/symbols/elf_file.h"

/* ---- the separate debug file -------------------------------------------------------------- */

#define DEBUG_ROOT "/usr/lib/debug"

struct debugfile_search {
	struct elf_file *debug;
	const struct elf_file *module;
	struct build_id id;
	uint32_t crc;
	bool has_crc;
};

static bool is_matching_file(const struct debugfile_search *s)
{
	struct build_id id;

	if (elf_file_same(s->debug, s->module))
		return false;
	if (s->id.length > 0)
		return elf_file_build_id(s->debug, &id) && id.length == s->id.length &&
		       memcmp(id.byte, s->id.byte, id.length) == 0;
	return s->has_crc && crc32_add(0, s->debug->data, s->debug->size) == s->crc;
}

static bool try_candidate_path(const struct debugfile_search *s, const char *root, const char *path)
{
	if (elf_file_open(s->debug, root, path, NULL) < 0)
		return false;
	if (is_matching_file(s))
		return true;
	elf_file_close(s->debug);
	return false;
}

static bool try_build_id_path(const struct debugfile_search *s, const char *root)
{
	char path[sizeof(DEBUG_ROOT) + (size_t)2 * BUILD_ID_MAX + 32];
	int length = snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%02x/", s->id.byte[0]);

	if (s->id.length < 2)
		return false;
	for (uint32_t i = 1; i < s->id.length; i++)
		length += snprintf(path + length, sizeof(path) - (size_t)length, "%02x",
				   s->id.byte[i]);
	snprintf(path + length, sizeof(path) - (size_t)length, ".debug");
	return try_candidate_path(s, root, path) ||
	       (root && *root && try_candidate_path(s, NULL, path));
}

/* In a directory below another: TOP/DIRECTORY/BELOW/NAME, where PATH is DIRECTORY/module. */
static bool try_link_in_folder(const struct debugfile_search *s, const char *root,
			       const char *const part[4])
{
	char path[PATH_MAX];
	int directory = (int)(strrchr(part[1], '/') + 1 - part[1]);
	int length = snprintf(path, sizeof(path), "%s%.*s%s%s", part[0], directory, part[1],
			      part[2], part[3]);

	return length < (int)sizeof(path) && try_candidate_path(s, root, path);
}

static bool try_debug_link(const struct debugfile_search *s, const char *root, const char *path,
			   const char *name)
{
	return strchr(path, '/') &&
	       (try_link_in_folder(s, root, (const char *const[]){ "", path, "", name }) ||
		try_link_in_folder(s, root, (const char *const[]){ "", path, ".debug/", name }) ||
		try_link_in_folder(s, root, (const char *const[]){ DEBUG_ROOT, path, "", name }));
}

static void try_debuginfod(const struct debugfile_search *s)
{
	int fd = s->id.length ? debuginfod_fetch(&s->id) : -1;

	if (fd >= 0 && elf_file_take(s->debug, fd, NULL) == 0 && !is_matching_file(s))
		elf_file_close(s->debug);
}

/* Looks by build-id and by .gnu_debuglink in the usual places, also below the real root, and opens
 * DEBUG if it finds the file. It never takes a file of another build: build-ids must be equal
 * or, of files without them, the CRC-32 of the link right. $DEBUGINFOD_URLS may take long.
 * Source GDB manual, "Separate Debug Files"; debuginfod(8). */
static void find_debug_file(struct elf_file *debug, const struct elf_file *module, const char *root,
			    const char *path, bool debuginfod)
{
	struct debugfile_search s = { .debug = debug, .module = module };
	const char *name = elf_file_debuglink(module, &s.crc);

	s.has_crc = name != NULL;
	elf_file_build_id(module, &s.id);
	if (!try_build_id_path(&s, root) && !(name && try_debug_link(&s, root, path, name)) &&
	    debuginfod)
		try_debuginfod(&s);
}

/* ---- the files of a module ---------------------------------------------------------------- */

static bool has_wanted_build_id(const struct elf_file *f, const struct build_id *wanted)
{
	struct build_id id;

	elf_file_build_id(f, &id);
	return wanted->length == 0 ||
	       (id.length == wanted->length && memcmp(id.byte, wanted->byte, id.length) == 0);
}

enum symbols_state module_file_open(struct module_file *f, const struct symbols_module *module,
				    const char *root, bool debuginfod, enum module_file_want want,
				    struct mu_error *err)
{
	struct elf_section section;

	*f = (struct module_file){ .elf = { .fd = -1 }, .debug = { .fd = -1 } };
	if (elf_file_open(&f->elf, root, module->path, err) < 0)
		return SYMBOLS_MISSING;
	if (!has_wanted_build_id(&f->elf, &module->id)) {
		mu_error_set(err, MU_ERROR_FORMAT, 0, "not the file that runs");
		return SYMBOLS_OTHER_BUILD;
	}
	if (want == MODULE_FILE_SYMBOLS && elf_file_section(&f->elf, ".symtab", &section))
		return SYMBOLS_READ;
	find_debug_file(&f->debug, &f->elf, root, module->path, debuginfod);
	if (!f->debug.data && elf_file_section(&f->elf, ".gnu_debugdata", &section))
		f->mini = debuginfo_mini_open(f->elf.fd);
	return SYMBOLS_READ;
}

void module_file_symbols(const struct module_file *f, elf_symbol_fn visit, void *data)
{
	elf_file_symbols(&f->elf, SHT_SYMTAB, visit, data);
	elf_file_symbols(&f->elf, SHT_DYNSYM, visit, data);
	if (f->debug.data)
		elf_file_symbols(&f->debug, SHT_SYMTAB, visit, data);
	if (f->mini)
		debuginfo_mini_symbols(f->mini, visit, data);
}

static void offer_symbol_start(const struct elf_symbol *symbol, void *data)
{
	symtab_offer_start(data, symbol);
}

static void offer_symbol_name(const struct elf_symbol *symbol, void *data)
{
	symtab_offer_name(data, symbol);
}

void module_file_look_up(const struct module_file *f, struct symtab *t)
{
	module_file_symbols(f, offer_symbol_start, t);
	symtab_settle(t);
	module_file_symbols(f, offer_symbol_name, t);
}

int module_file_debug(const struct module_file *f)
{
	struct elf_section section;

	if (elf_file_section(&f->elf, ".debug_info", &section))
		return f->elf.fd;
	return f->debug.data ? f->debug.fd : -1;
}

void module_file_close(struct module_file *f)
{
	debuginfo_mini_close(f->mini);
	f->mini = NULL;
	elf_file_close(&f->elf);
	elf_file_close(&f->debug);
}
