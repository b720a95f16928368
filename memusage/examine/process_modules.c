/* process_modules.c -- The objects that a process has loaded, and their files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/process_modules.h"

#include <stdio.h>
#include <string.h>

#include "profile/symbols/debug_file.h"

void process_modules_read(struct process_modules *m, const struct snapshot *s)
{
	*m = (struct process_modules){ .generation = s->image.head.dl_generation };
	modules_load(&m->all, &s->image);
	snprintf(m->root, sizeof(m->root), "/proc/%d/root", (int)s->tracee.pid);
}

uint32_t process_modules_find(const struct process_modules *m, uint64_t address)
{
	return modules_find(&m->all, address, m->generation);
}

bool process_modules_open(const struct process_modules *m, uint32_t module, struct elf_file *f)
{
	const struct module *of = &m->all.module[module];
	struct mu_error err;
	struct build_id id;

	if (elf_file_open(f, m->root, of->path, &err) < 0)
		return false;
	elf_file_build_id(f, &id);
	if (of->id.length == 0 ||
	    (id.length == of->id.length && memcmp(id.byte, of->id.byte, id.length) == 0))
		return true;
	elf_file_close(f);
	return false;
}

bool process_modules_open_debug(const struct process_modules *m, uint32_t module,
				const struct elf_file *f, struct elf_file *debug)
{
	struct elf_section section;

	*debug = (struct elf_file){ .fd = -1 };
	return !elf_file_section(f, ".symtab", &section) &&
	       debug_file_open(debug, f, m->root, m->all.module[module].path);
}

void process_modules_free(struct process_modules *m)
{
	modules_free(&m->all);
}
