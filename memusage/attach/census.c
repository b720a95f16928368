/* census.c -- The blocks of a process that nothing records: how many, how large, of which classes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/census.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/xmalloc.h"
#include "memusage/attach/refusal.h"
#include "memusage/attach/target_heap.h"
#include "memusage/common/class_name.h"
#include "memusage/common/clock.h"
#include "profile/base/array.h"
#include "profile/symbols/demangle_list.h"

enum {
	TRIES = 100,
	PAUSE_STEP_NS = 1000000, /* between two tries: this, twice this, ... */
	PAUSE_STEPS = 8,
	SMALL_STEP = 16, SMALL_SIZES = 64, SMALL_LOG2 = 10,
	TABLES_LOG2 = 16, /* of virtual functions, to begin with */
	TABLES_MOST = 1 << 20
};

/* First words of blocks that may be tables of virtual functions. */
struct tables {
	struct census_class *slot;
	uint32_t log2, count;
};

struct counting {
	struct census *c;
	const struct address_space *maps;
	const struct area *object; /* the last one that a word pointed into */
	struct tables tables;
};

/* ---- sizes ------------------------------------------------------------------------------- */

static unsigned int size_of_block(uint64_t usable)
{
	unsigned int log2;

	if (usable <= SMALL_STEP * SMALL_SIZES)
		return usable == 0 ? 0 : (unsigned int)((usable - 1) / SMALL_STEP);
	log2 = 64 - (unsigned int)__builtin_clzll(usable - 1);
	log2 -= SMALL_LOG2 + 1;
	return SMALL_SIZES + (log2 < CENSUS_SIZES - SMALL_SIZES ? log2 :
							CENSUS_SIZES - SMALL_SIZES - 1);
}

static void init_sizes(struct census *c)
{
	for (unsigned int i = 0; i < SMALL_SIZES; i++)
		c->size[i].most = (i + UINT64_C(1)) * SMALL_STEP;
	for (unsigned int i = SMALL_SIZES; i < CENSUS_SIZES; i++)
		c->size[i].most = UINT64_C(1) << (SMALL_LOG2 + 1 + i - SMALL_SIZES);
}

static void count_block(struct heap_count *to, uint64_t bytes)
{
	to->blocks++;
	to->bytes += bytes;
}

/* ---- classes ----------------------------------------------------------------------------- */

/* Tables are in private mappings of files, which have other names than memory has. */
static bool is_in_object(struct counting *k, uint64_t address)
{
	const struct area *a = k->object;

	if (!a || address < a->start || address >= a->end) {
		a = address_space_find(k->maps, address);
		if (!a || (a->flags & (AREA_FILE | AREA_SHARED | AREA_CODE)) != AREA_FILE)
			return false;
		k->object = a;
	}
	return true;
}

static struct census_class *find_slot(const struct tables *t, uint64_t table)
{
	const uint64_t mask = (UINT64_C(1) << t->log2) - 1;
	uint64_t i = table * UINT64_C(0x9e3779b97f4a7c15) >> (64 - t->log2);

	while (t->slot[i].table && t->slot[i].table != table)
		i = (i + 1) & mask;
	return &t->slot[i];
}

static void grow_tables(struct tables *t)
{
	struct tables larger = { .log2 = t->log2 ? t->log2 + 1 : TABLES_LOG2, .count = t->count };

	larger.slot = xcalloc((size_t)1 << larger.log2, sizeof(*larger.slot));
	for (size_t i = 0; t->slot && i < (size_t)1 << t->log2; i++) {
		if (t->slot[i].table)
			*find_slot(&larger, t->slot[i].table) = t->slot[i];
	}
	free(t->slot);
	*t = larger;
}

static void note_table(struct tables *t, uint64_t table, uint64_t bytes)
{
	struct census_class *slot;

	if (t->count * 2 >= (UINT64_C(1) << t->log2) || !t->slot)
		grow_tables(t);
	slot = find_slot(t, table);
	if (!slot->table && t->count == TABLES_MOST)
		return;
	t->count += slot->table == 0;
	slot->table = table;
	count_block(&slot->used, bytes);
}

static void count_chunk(void *data, const struct heap_chunk *chunk)
{
	struct counting *k = data;
	struct census_size *size = &k->c->size[size_of_block(chunk->usable)];

	if (chunk->state != CHUNK_USED) {
		count_block(&size->free, chunk->usable);
		return;
	}
	count_block(&size->used, chunk->usable);
	if (chunk->word && chunk->word % 8 == 0 && is_in_object(k, chunk->word))
		note_table(&k->tables, chunk->word, chunk->usable);
}

/* ---- names of classes -------------------------------------------------------------------- */

static size_t read_class_memory(const void *data, uint64_t address, void *to, size_t size)
{
	const struct target *t = data;
	const struct area *a = address_space_find(&t->maps, address);
	uint64_t left = a ? a->end - address : 0;

	size = size < left ? size : left;
	return size && target_read(t, address, to, size) ? size : 0;
}

static bool is_class_object(const void *data, uint64_t address)
{
	const struct target *t = data;
	const struct area *a = address_space_find(&t->maps, address);

	return a && a->flags & AREA_FILE;
}

static int compare_names(const void *a, const void *b)
{
	const struct census_class *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_bytes(const void *a, const void *b)
{
	const struct census_class *x = a, *y = b;

	if (x->used.bytes != y->used.bytes)
		return x->used.bytes < y->used.bytes ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Several objects may have a table of the same class. */
static void unite_classes(struct census *c)
{
	uint32_t count = 0;

	qsort(c->class, c->classes, sizeof(*c->class), compare_names);
	for (uint32_t i = 0; i < c->classes; i++) {
		struct census_class *last = count ? &c->class[count - 1] : NULL;

		if (!last || strcmp(last->name, c->class[i].name) != 0) {
			c->class[count++] = c->class[i];
			continue;
		}
		last->table = 0;
		last->used.blocks += c->class[i].used.blocks;
		last->used.bytes += c->class[i].used.bytes;
		free(c->class[i].name);
	}
	c->classes = count;
	qsort(c->class, c->classes, sizeof(*c->class), compare_bytes);
}

static void make_names_readable(struct census *c)
{
	static const char words[] = "typeinfo name for ";
	char **name = xcalloc(c->classes + UINT64_C(1), sizeof(*name));

	for (uint32_t i = 0; i < c->classes; i++)
		name[i] = c->class[i].name;
	demangle_list(name, c->classes);
	for (uint32_t i = 0; i < c->classes; i++) {
		if (strncmp(name[i], words, sizeof(words) - 1) == 0)
			memmove(name[i], name[i] + sizeof(words) - 1,
				strlen(name[i] + sizeof(words) - 1) + 1);
		c->class[i].name = name[i];
	}
	free(name);
}

/* The tables are constants: the process may run on meanwhile. */
static void name_classes(struct census *c, const struct tables *tables, const struct target *t)
{
	const struct class_memory m = { read_class_memory, is_class_object, t };
	char name[CLASS_NAME_BYTES];

	for (size_t i = 0; tables->slot && i < (size_t)1 << tables->log2; i++) {
		const struct census_class *slot = &tables->slot[i];

		if (!slot->table || !class_name_read(&m, slot->table, name))
			continue;
		array_reserve(&c->class, &c->class_room, c->classes + UINT64_C(1),
			      sizeof(*c->class));
		c->class[c->classes] = *slot;
		c->class[c->classes++].name = xasprintf("_ZTS%s", name);
	}
	if (c->classes == 0)
		return;
	make_names_readable(c);
	unite_classes(c);
}

/* ---- one census -------------------------------------------------------------------------- */

static enum heap_result walk_stopped(struct counting *k, struct target *t, struct mu_error *err)
{
	const struct heap_walk walk = { .release = k->c->release, .visit = count_chunk, .data = k };
	const uint64_t began = clock_now(CLOCK_MONOTONIC);
	enum target_result stopped = target_stop(t, err);
	enum heap_result result = HEAP_REFUSED;

	if (stopped == TARGET_OK && target_read_maps(t, err) == 0) {
		k->maps = &t->maps;
		result = target_heap_walk(t, &k->c->heap, &walk);
		if (result != HEAP_OK)
			mu_error_set(err, MU_ERROR_FORMAT, 0, "%s", k->c->heap.why);
	} else if (stopped == TARGET_BUSY) {
		result = HEAP_BUSY;
	}
	k->c->threads = t->tracee.count;
	tracee_resume(&t->tracee);
	k->c->pause_ns = clock_now(CLOCK_MONOTONIC) - began;
	return result;
}

static enum heap_result try_once(struct census *c, struct target *t, struct mu_error *err)
{
	struct counting k = { .c = c };
	enum heap_result result;

	glibc_heap_free(&c->heap);
	memset(c->size, 0, sizeof(c->size));
	init_sizes(c);
	result = walk_stopped(&k, t, err);
	if (result == HEAP_OK)
		name_classes(c, &k.tables, t);
	free(k.tables.slot);
	return result;
}

static enum heap_result open_and_try(struct census *c, pid_t pid, struct mu_error *err)
{
	enum heap_result result = HEAP_REFUSED;
	struct target t;

	if (target_open(&t, pid, err) < 0) {
		if (errno == EACCES || errno == EPERM)
			refusal_explain_denied(pid, err);
		return HEAP_REFUSED;
	}
	if (refusal_check_reading(&t, err) == TARGET_OK && target_read_maps(&t, err) == 0 &&
	    (c->release || target_heap_check(&t, &c->release, err) == 0))
		result = try_once(c, &t, err);
	target_close(&t);
	return result;
}

int census_take(struct census *c, pid_t pid, struct mu_error *err)
{
	enum heap_result result = HEAP_BUSY;

	*c = (struct census){ .release = 0 };
	for (c->tries = 1; c->tries <= TRIES && result == HEAP_BUSY; c->tries++) {
		const long step = 1 + c->tries % PAUSE_STEPS;
		const struct timespec pause = { .tv_nsec = step * PAUSE_STEP_NS };

		if (c->tries > 1)
			nanosleep(&pause, NULL);
		result = open_and_try(c, pid, err);
	}
	c->tries--;
	if (result == HEAP_BUSY) {
		char last[sizeof(err->text)];

		memcpy(last, err->text, sizeof(last));
		mu_error_set(err, MU_ERROR_FORMAT, 0,
			     "its heap was never at rest in %d tries, or is damaged: %.120s", TRIES,
			     last);
	}
	return result == HEAP_OK ? 0 : -1;
}

void census_free(struct census *c)
{
	for (uint32_t i = 0; i < c->classes; i++)
		free(c->class[i].name);
	free(c->class);
	glibc_heap_free(&c->heap);
	*c = (struct census){ .release = 0 };
}
