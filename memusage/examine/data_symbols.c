/* data_symbols.c -- The variable that an address is in.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/data_symbols.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/symbols/debug_file.h"

void data_symbols_open(struct data_symbols *d, const struct snapshot *s)
{
	*d = (struct data_symbols){ .generation = s->image.head.dl_generation,
				    .file = { .fd = -1 }, .debug = { .fd = -1 },
				    .opened = MODULES_NONE };
	modules_load(&d->modules, &s->image);
	snprintf(d->root, sizeof(d->root), "/proc/%d/root", (int)s->tracee.pid);
}

/* Returns whether d->file is that of the module. */
static bool open_module(struct data_symbols *d, uint32_t number)
{
	const struct module *m = &d->modules.module[number];
	struct elf_section symbols;
	struct build_id id;
	struct mu_error err;

	if (d->opened == number)
		return d->file.fd >= 0;
	elf_file_close(&d->file);
	elf_file_close(&d->debug);
	d->opened = number;
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

struct search {
	uint64_t address; /* as the file counts */
	struct elf_symbol best; /* size 0: none */
};

static void offer_symbol(const struct elf_symbol *symbol, void *data)
{
	struct search *s = data;
	const bool is_variable = symbol->type == STT_OBJECT || symbol->type == STT_COMMON;

	if (!is_variable || s->address - symbol->address >= symbol->size)
		return;
	if (s->best.size == 0 || symbol->address > s->best.address ||
	    (symbol->address == s->best.address && symbol->size < s->best.size))
		s->best = *symbol;
}

bool data_symbols_find(struct data_symbols *d, uint64_t address, struct data_symbol *symbol)
{
	const uint32_t number = modules_find(&d->modules, address, d->generation);
	struct search s = { .address = address };
	uint64_t bias;

	if (number == MODULES_NONE || !open_module(d, number))
		return false;
	bias = d->modules.module[number].bias;
	s.address -= bias;
	elf_file_symbols(&d->file, SHT_SYMTAB, offer_symbol, &s);
	if (s.best.size == 0)
		elf_file_symbols(&d->file, SHT_DYNSYM, offer_symbol, &s);
	if (s.best.size == 0 && d->debug.data)
		elf_file_symbols(&d->debug, SHT_SYMTAB, offer_symbol, &s);
	if (s.best.size == 0)
		return false;
	*symbol = (struct data_symbol){ xstrdup(s.best.name), s.best.address + bias, s.best.size };
	return true;
}

const char *data_symbols_object(const struct data_symbols *d, uint64_t address)
{
	const uint32_t number = modules_find(&d->modules, address, d->generation);

	return number == MODULES_NONE ? NULL : d->modules.module[number].path;
}

void data_symbols_close(struct data_symbols *d)
{
	elf_file_close(&d->file);
	elf_file_close(&d->debug);
	modules_free(&d->modules);
}
