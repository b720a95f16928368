/* module_file.c -- The files that hold a module's names: its own, and a separate debug file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/module_file.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "profile/symbols/debug_file.h"
#include "profile/symbols/debuginfod.h"
#include "profile/symbols/elf_file.h"

/* ---- the separate debug file -------------------------------------------------------------- */

static void try_debuginfod(struct elf_file *debug, const struct elf_file *module)
{
	struct build_id id;
	int fd = elf_file_build_id(module, &id) ? debuginfod_fetch(&id) : -1;

	if (fd >= 0 && elf_file_take(debug, fd, NULL) == 0 && !debug_file_is_of(debug, module))
		elf_file_close(debug);
}

/* $DEBUGINFOD_URLS may take long. Source debuginfod(8). */
static void find_debug_file(struct elf_file *debug, const struct elf_file *module, const char *root,
			    const char *path, bool debuginfod)
{
	if (!debug_file_open(debug, module, root, path) && debuginfod)
		try_debuginfod(debug, module);
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
