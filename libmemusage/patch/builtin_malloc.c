/* builtin_malloc.c -- intercepting an allocator that the program brings with it.
 *
 * All calls enter its functions, those of libc too, so all of them are events of the program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/builtin_malloc.h"

#include <link.h>
#include <stddef.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/new_objects.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/signal_mask.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/stop.h"
#include "libmemusage/patch/builtin_malloc_detect.h"
#include "libmemusage/patch/entry.h"
#include "libmemusage/patch/intercept.h"
#include "libmemusage/patch/symbols.h"
#include "libmemusage/unwind/cfi.h"
#include "recording/family.h"

static struct new_objects known;

static void note_function(const struct link_map *object, const char *name, const char *why)
{
	const struct symbols_name symbol = { name, object->l_name, why, MU_SYMBOL_BUILTIN, 0 };

	symbols_note(&symbol);
}

/* Returns whether the function is intercepted or, with ENTRY_TRY, could be. Notes refusals. */
static bool patch_function(const struct patch *p, const struct link_map *object,
			   const struct mu_family *function, unsigned int flags)
{
	const struct intercept what = { .signature = function->signature, .layer = ENTRY_BUILTIN };
	uint64_t address, size;

	if (!lookup_sized(object, function->name, &address, &size))
		return false;
	if (entry_original(address))
		return true;
	const char *why = intercept_function(p, &what, address, size, flags);
	if (why || !(flags & ENTRY_TRY))
		note_function(object, function->name, why);
	if (!why && !(flags & ENTRY_TRY))
		real_redirect(address, entry_original(address));
	return !why;
}

/* Intercepts all functions that are needed, or none. */
static bool patch_functions(const struct patch *p, const struct link_map *object,
			    unsigned int flags)
{
	for (size_t i = 0; i < MU_FAMILY_NEEDED; i++)
		if (!patch_function(p, object, &mu_family_libc[i], flags | ENTRY_TRY))
			return false;
	for (size_t i = 0; i < MU_FAMILY_LIBC; i++)
		if (!patch_function(p, object, &mu_family_libc[i], flags) && i < MU_FAMILY_NEEDED)
			return false;
	for (size_t i = 0; i < MU_FAMILY_STRINGS; i++)
		patch_function(p, object, &mu_family_strings[i], flags);
	return true;
}

bool builtin_malloc_patch(const struct link_map *object, bool is_new)
{
	struct patch p;

	cfi_init();
	if (!patch_begin(&p)) {
		note_function(object, "malloc", "code cannot be changed here");
		return false;
	}
	bool ok = patch_functions(&p, object, is_new ? ENTRY_NEW_OBJECT : 0);
	patch_end(&p);
	return ok;
}

/* ---- objects that are opened later --------------------------------------------------------- */

static void look_at_new_object(const struct object *object, void *unused)
{
	uint64_t address, size;

	(void)unused;
	if (!lookup_sized(object->map, "malloc", &address, &size) ||
	    !lookup_sized(object->map, "free", &address, &size))
		return;
	cfi_add_object(object_tables(object), object->start, object->end);
	builtin_malloc_detected(object->map, object->map->l_name, MU_NOTE_FOREIGN_MALLOC,
				true);
	cfi_add_object(NULL, 0, 0);
}

/* ld.so holds its lock: one thread at a time. */
static void look_at_new_objects(void)
{
	if (recorder_is_on())
		new_objects_visit(&known, look_at_new_object, NULL);
}

/* Under ld.so's lock: its list does not change meanwhile. libc does not free that lock in a child
 * of fork(), so no thread must fork now, and no handler of this one. */
static int watch_first_time(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)info;
	(void)size;
	(void)unused;
	if (!known.known && new_objects_init(&known)) {
		new_objects_visit(&known, NULL, NULL);
		patch_on_objects(look_at_new_objects);
	}
	return 1;
}

void builtin_malloc_watch(void)
{
	struct signal_mask mask;

	if (known.known)
		return;
	signal_mask_all(&mask);
	bool is_forbidden = stop_forbid();
	dl_iterate_phdr(watch_first_time, NULL);
	if (is_forbidden)
		stop_allow();
	signal_mask_restore(&mask);
}
