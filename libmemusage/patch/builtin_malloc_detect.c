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

static bool is_symbolic(const struct link_map *object)
{
	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_SYMBOLIC ||
		    (entry->d_tag == DT_FLAGS && entry->d_un.d_val & DF_SYMBOLIC))
			return true;
	return false;
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
	for (const struct link_map *object = _r_debug.r_map; object; object = object->l_next)
		if (is_symbolic(object) && lookup_in(object, "malloc"))
			builtin_malloc_detected(object, object->l_name, MU_NOTE_SYMBOLIC, false);
}

void builtin_malloc_detect_opened(const char *file, unsigned int bit)
{
	if (file && gate.on)
		note_unseen_malloc(file, bit);
}
