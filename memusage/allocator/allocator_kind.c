/* allocator_kind.c -- Whose malloc a process has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/allocator/allocator_kind.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "memusage/allocator/glibc_layout.h"
#include "profile/symbols/elf_file.h"

struct definitions {
	bool malloc, free;
};

static void note_symbol(const struct elf_symbol *symbol, void *data)
{
	struct definitions *d = data;

	if (symbol->binding == STB_LOCAL || symbol->visibility == STV_HIDDEN ||
	    (symbol->type != STT_FUNC && symbol->type != STT_GNU_IFUNC))
		return;
	d->malloc |= strcmp(symbol->name, "malloc") == 0;
	d->free |= strcmp(symbol->name, "free") == 0;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ld.so had a malloc for itself before 2.32. */
static bool is_left_out(const char *name)
{
	const char *base = base_of(name);

	return *name != '/' || glibc_layout_is_libc(name) || strncmp(base, "ld-", 3) == 0 ||
	       strncmp(base, "ld.so", 5) == 0 || strncmp(base, "libmemusage", 11) == 0 ||
	       strncmp(name, "/memfd:", 7) == 0;
}

static bool has_malloc(const char *root, const char *name)
{
	struct definitions d = { .malloc = false };
	struct elf_file f;
	struct mu_error ignored;

	if (elf_file_open(&f, root, name, &ignored) < 0)
		return false;
	elf_file_symbols(&f, SHT_DYNSYM, note_symbol, &d);
	elf_file_close(&f);
	return d.malloc && d.free;
}

int allocator_kind_check(const struct address_space *maps, pid_t view, struct mu_error *err)
{
	bool has_libc = false;
	char root[32];

	snprintf(root, sizeof(root), "/proc/%d/root", (int)view);
	for (uint32_t i = 0; i < maps->count; i++) {
		const struct area *a = &maps->area[i];

		if (strncmp(base_of(a->name), "ld-musl", 7) == 0)
			return mu_error_set(err, MU_ERROR_FORMAT, 0,
					    "its C library is musl, not glibc");
		has_libc |= glibc_layout_is_libc(a->name);
		if (!(a->flags & AREA_CODE) || is_left_out(a->name) || !has_malloc(root, a->name))
			continue;
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "its malloc is that of %.100s, whose blocks cannot be read",
				    base_of(a->name));
	}
	if (has_libc)
		return 0;
	return mu_error_set(err, MU_ERROR_FORMAT, 0,
			    "it is statically linked, or its C library is not glibc: nothing tells "
			    "where its blocks are");
}
