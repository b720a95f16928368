/* symbol_hooks.c -- intercepting the functions that --alloc-symbol and --free-symbol name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/symbol_hooks.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "libmemusage/base/new_objects.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/event/event.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/collector_query.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/patch/entry.h"
#include "libmemusage/patch/intercept.h"
#include "libmemusage/patch/real_mark.h"
#include "libmemusage/patch/symbols.h"
#include "libmemusage/tables/modules.h"
#include "libmemusage/unwind/cfi.h"
#include "recording/family.h"

/* Under ld.so's lock. */
static struct {
	struct new_objects known; /* objects that were searched */
	bool was_started;	  /* those at the start were */
	char path[MODULES_PATH];  /* working memory */
} state;

static void note_refused_object(const struct object *object, const char *why)
{
	const struct symbols_name symbol = { "all functions", object->map->l_name, why,
					     MU_SYMBOL_FAMILY, 0 };

	symbols_note(&symbol);
}

/* ---- the answer ---------------------------------------------------------------------------- */

/* The texts are in the answer, which ends with a zero. */
struct symbols_answer {
	const struct object *object;
	const uint8_t *start;
	uint64_t length; /* bytes */
	struct patch patch;
	unsigned int flags; /* ENTRY_NEW_OBJECT or 0 */
};

static const char *answer_text(const struct symbols_answer *a, uint32_t offset)
{
	return offset && offset < a->length ? (const char *)a->start + offset : NULL;
}

/* Ignores other names of functions that are intercepted already, unless the user named them. */
static void intercept_found(const struct symbols_answer *a, const struct mu_symbol_match *found)
{
	struct intercept what = { .signature = found->signature, .layer = ENTRY_SYMBOL };
	struct symbols_name symbol = { .name = answer_text(a, found->name),
				       .object = a->object->map->l_name,
				       .why = answer_text(a, found->why),
				       .kind = found->kind,
				       .rule = found->rule };
	uint64_t address = a->object->map->l_addr + found->address;

	if (!symbol.name)
		return;
	if (entry_original(address)) {
		if (found->kind != MU_SYMBOL_NAMED)
			return;
		symbol.why = "it is another name of one that is seen already";
	}
	if (!symbol.why)
		symbol.why = intercept_function(&a->patch, &what, address, found->size,
						a->flags | ENTRY_TRY);
	what.number = symbols_note(&symbol);
	if (!symbol.why)
		intercept_function(&a->patch, &what, address, found->size, a->flags);
}

static void read_answer(struct symbols_answer *a)
{
	uint64_t count;
	struct mu_symbol_match found;

	if (a->length < sizeof(count) || a->start[a->length - 1] ||
	    !patch_begin(&a->patch)) {
		note_refused_object(a->object, "code cannot be changed here");
		return;
	}
	memcpy(&count, a->start, sizeof(count));
	for (uint64_t i = 0; i < count && sizeof(count) + (i + 1) * sizeof(found) <= a->length;
	     i++) {
		memcpy(&found, a->start + sizeof(count) + i * sizeof(found), sizeof(found));
		intercept_found(a, &found);
	}
	patch_end(&a->patch);
}

/* ---- the question -------------------------------------------------------------------------- */

static bool describe_object(const struct object *object)
{
	uint64_t offset = arena_alloc(sizeof(struct mu_module), 64);
	struct mu_module *module = arena_at(offset);

	if (!offset)
		return false;
	module->start = object->start;
	module->end = object->end;
	module->bias = object->map->l_addr;
	module->path = modules_path(object->map->l_name, object->start, state.path);
	modules_build_id(module, object->map);
	rec.image->query_module = offset;
	return true;
}

/* The vdso, ld.so and this library have nothing to intercept. */
static bool has_functions_to_intercept(const struct object *object)
{
	uint64_t here = (uint64_t)&state.was_started;

	return !(here >= object->start && here < object->end) &&
	       object->map->l_addr != _r_debug.r_ldbase &&
	       strncmp(object->map->l_name, "linux-vdso.so", 13) != 0;
}

/* Asks inside the hook: a signal handler that allocated meanwhile could have a query of its own
 * (--ignore-fn), and would wait for the end of ours for ever. */
static bool ask_for_symbols(struct symbols_answer *a)
{
	struct thread *thread = hook_enter();
	bool ok;

	while (!collector_query_begin(MU_QUERY_SYMBOLS))
		;
	ok = describe_object(a->object) && collector_query_ask();
	a->start = arena_at(rec.image->query_offset);
	a->length = rec.image->query_count * sizeof(uint64_t);
	collector_query_end();
	if (thread)
		hook_leave(thread);
	return ok;
}

static void intercept_in_object(const struct object *object, void *unused)
{
	struct symbols_answer a = { .object = object,
				    .flags = state.was_started ? ENTRY_NEW_OBJECT : 0 };

	(void)unused;
	if (!has_functions_to_intercept(object))
		return;
	if (!ask_for_symbols(&a)) {
		note_refused_object(object, "its symbols cannot be read");
		return;
	}
	cfi_add_object(state.was_started ? object_tables(object) : NULL, object->start,
		       object->end);
	read_answer(&a);
	cfi_add_object(NULL, 0, 0);
}

/* ld.so holds its lock: one thread at a time. */
static void intercept_new_objects(void)
{
	if (recorder_is_on())
		new_objects_visit(&state.known, intercept_in_object, NULL);
}

void symbol_hooks_start(void)
{
	cfi_init();
	if (!new_objects_init(&state.known))
		return;
	real_mark();
	new_objects_visit(&state.known, intercept_in_object, NULL);
	state.was_started = true;
	patch_on_objects(intercept_new_objects);
}
