/* builtin_malloc_detect.c -- noticing a malloc that this library does not see.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/builtin_malloc_detect.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/patch/builtin_malloc.h"

#define PATH_LIMIT 4096u

static void note_unseen_malloc(const char *path, unsigned int bit)
{
	if (!rec.image)
		return;
	if (!rec.image->unseen_malloc.offset && path && *path)
		rec.image->unseen_malloc = arena_string(path, strlen(path), PATH_LIMIT);
	__atomic_fetch_or(&rec.image->notes, bit, __ATOMIC_RELAXED);
}

/* The values of an object's dynamic section that matter here. */
struct dynamic {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *gnu_hash;
	bool is_symbolic;
};

static struct dynamic read_dynamic_section(const struct link_map *object)
{
	struct dynamic d = { 0 };

	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			d.symbols = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			d.strings = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_GNU_HASH)
			d.gnu_hash = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_SYMBOLIC ||
			 (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_SYMBOLIC))
			d.is_symbolic = true;
	}
	return d;
}

static uint32_t gnu_hash_of_name(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

/* Returns whether the object itself defines `name`. Source: the layout of .gnu.hash as read by
 * ld.so: nbuckets, symoffset, bloom words, bloom shift, bloom, buckets, chains. */
static bool defines_symbol(const struct dynamic *d, const char *name)
{
	const uint32_t *header = d->gnu_hash;
	uint32_t hash = gnu_hash_of_name(name);

	if (!header || !d->symbols || !d->strings || !header[0])
		return false;
	const uint32_t *buckets = header + 4 + header[2] * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chains = buckets + header[0];
	uint32_t index = buckets[hash % header[0]];
	if (index < header[1])
		return false;
	for (;; index++) {
		uint32_t seen = chains[index - header[1]];
		if ((seen | 1) == (hash | 1) &&
		    !strcmp(d->strings + d->symbols[index].st_name, name) &&
		    d->symbols[index].st_shndx != SHN_UNDEF)
			return true;
		if (seen & 1)
			return false;
	}
}

void builtin_malloc_detected(const struct link_map *object, const char *path, unsigned int bit,
			     bool is_new)
{
	bool is_seen =
		object && rec.flags & MU_CFG_OWN_MALLOC && builtin_malloc_patch(object, is_new);

	/* It makes no difference to pages which malloc is called. */
	if (rec.flags & MU_CFG_PAGES)
		return;
	note_unseen_malloc(path, is_seen ? MU_NOTE_OWN_MALLOC : bit);
}

/* Checks the first definition of malloc, which the program calls, if it is not ours. An executable
 * that is not position independent and takes malloc's address has an undefined symbol with a value,
 * which defines nothing (python3 and node of Debian 12). */
static void check_first_malloc(void)
{
	const struct link_map *first = lookup_object("malloc");

	if (!first || first == lookup_self())
		return;
	/* The executable's name is empty in ld.so's list. */
	builtin_malloc_detected(first, first->l_name[0] ? first->l_name : program_invocation_name,
				MU_NOTE_FOREIGN_MALLOC, false);
}

void builtin_malloc_detect(void)
{
	check_first_malloc();
	for (const struct link_map *object = _r_debug.r_map; object; object = object->l_next) {
		struct dynamic d = read_dynamic_section(object);
		/* ld.so leaves the addresses of the vdso, which is symbolic, unrelocated. */
		if (d.is_symbolic && (ElfW(Addr))d.symbols >= object->l_addr &&
		    defines_symbol(&d, "malloc"))
			builtin_malloc_detected(object, object->l_name, MU_NOTE_SYMBOLIC, false);
	}
}

void builtin_malloc_detect_opened(const char *file, unsigned int bit)
{
	if (file && gate.on)
		note_unseen_malloc(file, bit);
}
