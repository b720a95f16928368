/* module_symbols.c -- The variable or function of a module that an address is in.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/module_symbols.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/symbols/debug_file.h"

void module_symbols_open(struct module_symbols *d, const struct snapshot *s)
{
	*d = (struct module_symbols){ .generation = s->image.head.dl_generation,
				    .tracee = &s->tracee,
				    .file = { .fd = -1 }, .debug = { .fd = -1 },
				    .opened = MODULES_NONE };
	modules_load(&d->modules, &s->image);
	snprintf(d->root, sizeof(d->root), "/proc/%d/root", (int)s->view);
}

static bool open_files(struct module_symbols *d, const struct module *m)
{
	struct elf_section symbols;
	struct build_id id;
	struct mu_error err;

	if (!m->path || elf_file_open(&d->file, d->root, m->path, &err) < 0)
		return false;
	elf_file_build_id(&d->file, &id);
	if (m->id.length == 0 || (id.length == m->id.length &&
				  memcmp(id.byte, m->id.byte, id.length) == 0)) {
		if (!elf_file_section(&d->file, ".symtab", &symbols))
			debug_file_open(&d->debug, &d->file, d->root, m->path);
		return true;
	}
	elf_file_close(&d->file);
	return false;
}

/* Returns whether d->file is that of the module. */
static bool open_module(struct module_symbols *d, uint32_t number)
{
	const struct tracee_right *right = d->tracee->right;
	bool is_open;

	if (d->opened == number)
		return d->file.fd >= 0;
	elf_file_close(&d->file);
	elf_file_close(&d->debug);
	d->opened = number;
	is_open = tracee_right_enter_files(right, d->tracee->pid) &&
		  open_files(d, &d->modules.module[number]);
	tracee_right_leave_files(right);
	return is_open;
}

struct search {
	uint64_t address; /* as the file counts */
	bool of_function;
	struct elf_symbol best; /* size 0: none */
};

static bool is_wanted(const struct search *s, const struct elf_symbol *symbol)
{
	if (s->of_function)
		return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
	return symbol->type == STT_OBJECT || symbol->type == STT_COMMON;
}

static void offer_symbol(const struct elf_symbol *symbol, void *data)
{
	struct search *s = data;

	if (!is_wanted(s, symbol) || s->address - symbol->address >= symbol->size)
		return;
	if (s->best.size == 0 || symbol->address > s->best.address ||
	    (symbol->address == s->best.address && symbol->size < s->best.size))
		s->best = *symbol;
}

/* Finds and opens the module of S->address, which counts as its file does afterwards. Returns the
 * module, NULL if there is none or its file is another. */
static const struct module *enter_module(struct module_symbols *d, struct search *s)
{
	const uint32_t number = modules_find(&d->modules, s->address, d->generation);

	if (number == MODULES_NONE || !open_module(d, number))
		return NULL;
	s->address -= d->modules.module[number].bias;
	return &d->modules.module[number];
}

static bool take_symbol(const struct search *s, const struct module *m,
			struct module_symbol *symbol)
{
	if (s->best.size == 0)
		return false;
	*symbol = (struct module_symbol){ xstrdup(s->best.name), s->best.address + m->bias,
					  s->best.size };
	return true;
}

bool module_symbols_find_variable(struct module_symbols *d, uint64_t address,
				  struct module_symbol *symbol)
{
	struct search s = { .address = address };
	const struct module *m = enter_module(d, &s);

	if (!m)
		return false;
	elf_file_symbols(&d->file, SHT_SYMTAB, offer_symbol, &s);
	if (s.best.size == 0)
		elf_file_symbols(&d->file, SHT_DYNSYM, offer_symbol, &s);
	if (s.best.size == 0 && d->debug.data)
		elf_file_symbols(&d->debug, SHT_SYMTAB, offer_symbol, &s);
	return take_symbol(&s, m, symbol);
}

bool module_symbols_find_export(struct module_symbols *d, uint64_t address,
				struct module_symbol *symbol)
{
	struct search s = { .address = address, .of_function = true };
	const struct module *m = enter_module(d, &s);

	if (!m)
		return false;
	elf_file_symbols(&d->file, SHT_DYNSYM, offer_symbol, &s);
	return take_symbol(&s, m, symbol);
}

const char *module_symbols_object(const struct module_symbols *d, uint64_t address)
{
	const uint32_t number = modules_find(&d->modules, address, d->generation);

	return number == MODULES_NONE ? NULL : d->modules.module[number].path;
}

void module_symbols_close(struct module_symbols *d)
{
	elf_file_close(&d->file);
	elf_file_close(&d->debug);
	modules_free(&d->modules);
}
