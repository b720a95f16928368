/* process_modules.c -- The objects that a process has loaded, and their files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/process_modules.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/symbols/debug_file.h"

#define PAGE UINT64_C(4096)

struct mapped_modules {
	struct module *module;
	uint32_t count, room;
};

/* Sets where an object is from its first mapping and its file's program headers. */
static bool place_module(struct module *m, const struct elf_file *f, uint64_t start)
{
	bool has_bias = false;

	for (uint32_t i = 0; i < f->segment_count; i++) {
		Elf64_Phdr h;

		memcpy(&h, f->data + f->segments + i * sizeof(h), sizeof(h));
		if (h.p_type != PT_LOAD)
			continue;
		if (!has_bias)
			m->bias = start - (h.p_vaddr & -PAGE);
		has_bias = true;
		if (m->bias + h.p_vaddr + h.p_memsz > m->end)
			m->end = m->bias + h.p_vaddr + h.p_memsz;
	}
	m->start = start;
	return has_bias && m->end > start;
}

static bool open_file(const struct process_modules *m, const char *path, struct elf_file *f)
{
	struct mu_error err;
	const bool is_open = tracee_right_enter_files(m->tracee->right, m->tracee->pid) &&
			     elf_file_open(f, m->root, path, &err) == 0;

	tracee_right_leave_files(m->tracee->right);
	return is_open;
}

static void append_mapped(struct mapped_modules *to, const struct process_modules *m,
			  const struct area *area)
{
	struct module one = { .closed = UINT32_MAX, .path = (char *)area->name };
	struct elf_file file;

	if (!open_file(m, area->name, &file))
		return;
	elf_file_build_id(&file, &one.id);
	if (place_module(&one, &file, area->start)) {
		array_reserve(&to->module, &to->room, to->count + UINT64_C(1),
			      sizeof(*to->module));
		to->module[to->count++] = one;
	}
	elf_file_close(&file);
}

static bool begins_object(const struct snapshot *s, const struct area *area)
{
	char magic[SELFMAG];

	return area->name[0] == '/' && area->flags & AREA_FILE &&
	       address_space_read(&s->space, area->start, magic, sizeof(magic)) == sizeof(magic) &&
	       memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* The recorder notes an object when a call comes from it: one that only has variables, or whose
 * process has made no call since an attach, is not known to it. */
static void add_mapped(struct process_modules *m, const struct snapshot *s)
{
	struct mapped_modules found = { .count = 0 };
	uint64_t end = 0;

	for (uint32_t i = 0; i < s->space.count; i++) {
		const struct area *area = &s->space.area[i];

		if (area->start < end || !begins_object(s, area) ||
		    modules_find(&m->all, area->start, m->generation) != MODULES_NONE)
			continue;
		append_mapped(&found, m, area);
		end = found.count ? found.module[found.count - 1].end : 0;
	}
	modules_add(&m->all, found.module, found.count);
	free(found.module);
}

void process_modules_read(struct process_modules *m, const struct snapshot *s)
{
	*m = (struct process_modules){ .generation = s->image.head.dl_generation,
				       .tracee = &s->tracee };
	modules_load(&m->all, &s->image);
	snprintf(m->root, sizeof(m->root), "/proc/%d/root", (int)s->view);
	add_mapped(m, s);
}

uint32_t process_modules_find(const struct process_modules *m, uint64_t address)
{
	return modules_find(&m->all, address, m->generation);
}

bool process_modules_open(const struct process_modules *m, uint32_t module, struct elf_file *f)
{
	const struct module *of = &m->all.module[module];
	struct build_id id;

	if (!open_file(m, of->path, f))
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
	bool is_open;

	*debug = (struct elf_file){ .fd = -1 };
	if (elf_file_section(f, ".symtab", &section))
		return false;
	is_open = tracee_right_enter_files(m->tracee->right, m->tracee->pid) &&
		  debug_file_open(debug, f, m->root, m->all.module[module].path);
	tracee_right_leave_files(m->tracee->right);
	return is_open;
}

void process_modules_free(struct process_modules *m)
{
	modules_free(&m->all);
}
