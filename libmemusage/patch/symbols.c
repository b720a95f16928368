/* symbols.c -- the list of functions that were to be intercepted, for reports.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "recording/family.h"

#define FIRST_LOG2 4
#define SYMBOLS_MAX 4096u
#define LIMIT 4096u

static struct mu_table *symbols_table(void)
{
	struct mu_table *symbols = &rec.image->table[MU_SEC_SYMBOLS];

	if (!symbols->entry_size)
		arena_table_init(MU_SEC_SYMBOLS, sizeof(struct mu_symbol), FIRST_LOG2);
	return symbols;
}

static bool equals_text(const struct mu_string *string, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	return string->length == (length < LIMIT ? length : LIMIT) &&
	       (!string->length || !memcmp(arena_at(string->offset), text, string->length));
}

static struct mu_string store_text(const char *text)
{
	return arena_string(text ? text : "", text ? strlen(text) : 0, LIMIT);
}

/* The executable's name is empty in ld.so's list. */
static bool equals_object_path(const struct mu_string *string, const char *path)
{
	return *path ? equals_text(string, path) : string->offset == rec.image->process.exe.offset;
}

uint32_t symbols_note(const struct symbols_name *symbol)
{
	struct mu_table *symbols = symbols_table();
	uint64_t count = symbols->count;

	for (uint64_t i = 0; i < count; i++) {
		const struct mu_symbol *old = arena_table_at(symbols, i);
		if (equals_text(&old->name, symbol->name) &&
		    equals_object_path(&old->object, symbol->object) &&
		    equals_text(&old->why, symbol->why))
			return (uint32_t)i + 1;
	}
	struct mu_symbol *entry = count < SYMBOLS_MAX ? arena_table_at(symbols, count) : NULL;
	if (!entry)
		return 0;
	*entry = (struct mu_symbol){ .kind = symbol->kind, .rule = symbol->rule };
	entry->name = store_text(symbol->name);
	entry->object = *symbol->object ? store_text(symbol->object) : rec.image->process.exe;
	entry->why = store_text(symbol->why);
	__atomic_store_n(&symbols->count, count + 1, __ATOMIC_RELEASE);
	return (uint32_t)count + 1;
}

void symbols_called(uint32_t number)
{
	struct mu_table *symbols = rec.image ? &rec.image->table[MU_SEC_SYMBOLS] : NULL;

	if (!number || !symbols || number > symbols->count)
		return;
	struct mu_symbol *entry = arena_table_at(symbols, number - 1);
	__atomic_fetch_add(&entry->calls, 1, __ATOMIC_RELAXED);
}
