/* holder_roots.c -- What outside of blocks holds them: variables, frames of stacks, mappings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/holders/holder_roots.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/examine/process_modules.h"
#include "memusage/holders/thread_frames.h"
#include "memusage/examine/thread_storage.h"
#include "profile/base/array.h"
#include "profile/symbols/enclosing_symbols.h"

/* A thread holds things for moments: a rank of its own. */
enum { RANK_VARIABLES, RANK_THREADS };

/* A pointer whose root is a symbol, or a frame. */
struct named_pointer {
	uint64_t pointer; /* index in the graph's `root` */
	uint64_t address; /* in the file of the object, or in its thread-local storage; of code */
	uint64_t start, size; /* of the symbol, 0 none; of a frame the address of its code */
	uint32_t module;  /* MODULES_NONE: none */
	uint32_t thread;
	uint32_t name;	  /* of struct strings */
	uint32_t frame;	  /* of a stack; STACK_FRAMES_NONE: not known */
	enum mu_holder_root_kind kind;
};

struct search {
	struct holder_roots *r;
	const struct snapshot *s;
	const struct heap_graph *g;
	struct process_modules modules;
	struct thread_storage storage;
	struct thread_frames frames;
	struct named_pointer *named;
	uint64_t count, room;
	uint32_t *of_area; /* root of each mapping, HOLDING_NO_ROOT none yet */
};

/* ---- roots ------------------------------------------------------------------------------ */

/* The list of tables of thread-local storage stands for threads that have ended; a living one has
 * the table in a word of its own. */
static bool is_of_moment(const struct mu_holder_root *root)
{
	return root->kind == MU_HOLDER_STACK || (root->kind == MU_HOLDER_TLS && !root->thread);
}

static uint32_t append_root(struct holder_roots *r, const struct mu_holder_root *root)
{
	const uint32_t room = r->room;

	array_reserve(&r->root, &r->room, r->count + UINT64_C(1), sizeof(*r->root));
	if (r->room != room) {
		r->rank = xreallocarray(r->rank, r->room, sizeof(*r->rank));
		r->nest = xreallocarray(r->nest, r->room, sizeof(*r->nest));
	}
	r->root[r->count] = *root;
	r->nest[r->count] = (struct holding_nest){ .number = 0 };
	r->rank[r->count] = is_of_moment(root) ? RANK_THREADS : RANK_VARIABLES;
	return r->count++;
}

static uint32_t add_text(struct holder_roots *r, const char *text)
{
	return strings_add(&r->texts, text, strlen(text));
}

/* ---- mappings --------------------------------------------------------------------------- */

static uint32_t root_of_area(struct search *x, const struct area *a)
{
	uint32_t *root = &x->of_area[a - x->s->space.area];
	const bool is_file = a->flags & (AREA_FILE | AREA_SHARED);

	if (*root == HOLDING_NO_ROOT)
		*root = append_root(x->r, &(struct mu_holder_root){
			.kind = is_file ? MU_HOLDER_SHARED : MU_HOLDER_MAPPING,
			.object = add_text(x->r, a->name), .address = a->start,
			.size = a->end - a->start });
	return *root;
}

/* ---- symbols ---------------------------------------------------------------------------- */

static void append_named(struct search *x, uint64_t pointer, enum mu_holder_root_kind kind,
			 uint32_t module, uint64_t address, pid_t thread)
{
	if (x->count == x->room) {
		x->room = x->room ? 2 * x->room : 1024;
		x->named = xreallocarray(x->named, x->room, sizeof(*x->named));
	}
	x->named[x->count++] = (struct named_pointer){
		.pointer = pointer, .kind = kind, .module = module, .address = address,
		.start = kind == MU_HOLDER_STACK ? address : 0, .thread = (uint32_t)thread };
}

static void append_variable(struct search *x, uint64_t pointer, uint32_t module, uint64_t place)
{
	append_named(x, pointer, MU_HOLDER_GLOBAL, module,
		     place - x->modules.all.module[module].bias, 0);
}

static void append_storage(struct search *x, uint64_t pointer, const struct storage_block *b,
			   uint64_t place)
{
	append_named(x, pointer, MU_HOLDER_TLS, b->module, place - b->start, b->thread);
}

static void append_stack(struct search *x, uint64_t pointer, const struct root *root,
			 uint32_t frame)
{
	uint64_t code = 0;
	uint32_t module = MODULES_NONE;

	if (frame != STACK_FRAMES_NONE) {
		code = x->frames.all.frame[frame].code;
		module = process_modules_find(&x->modules, code);
	}
	append_named(x, pointer, MU_HOLDER_STACK, module,
		     code - (module == MODULES_NONE ? 0 : x->modules.all.module[module].bias),
		     frame == STACK_FRAMES_NONE ? root->thread :
						  thread_frames_thread(&x->frames, frame));
	x->named[x->count - 1].frame = frame;
}

static void assign_pointer(struct search *x, uint64_t i)
{
	const struct root_pointer *p = &x->g->pointers.root[i];
	const struct root *root = p->root < x->g->roots.count ? &x->g->roots.root[p->root] : NULL;
	const struct storage_block *storage;
	uint32_t module;

	if (!root) {
		append_named(x, i, MU_HOLDER_TLS, MODULES_NONE, 0, 0);
		return;
	}
	if (root->kind == ROOT_REGISTERS) {
		append_stack(x, i, root, thread_frames_of_pointer(&x->frames, root, p));
		return;
	}
	storage = thread_storage_at(&x->storage, p->place);
	module = storage ? MODULES_NONE : process_modules_find(&x->modules, p->place);
	if (storage)
		append_storage(x, i, storage, p->place);
	else if (module != MODULES_NONE)
		append_variable(x, i, module, p->place);
	else if (root->kind == ROOT_STACK)
		append_stack(x, i, root, thread_frames_of_pointer(&x->frames, root, p));
	else
		x->r->of_pointer[i] = HOLDING_NO_ROOT;
}

/* Behind those with names: paths begin at variables where they can. */
static void assign_to_areas(struct search *x)
{
	for (uint64_t i = 0; i < x->g->pointers.roots; i++) {
		if (x->r->of_pointer[i] == HOLDING_NO_ROOT)
			x->r->of_pointer[i] = root_of_area(
				x, x->g->roots.root[x->g->pointers.root[i].root].area);
	}
}

/* ---- names ------------------------------------------------------------------------------ */

static int compare_addresses(const void *a, const void *b)
{
	const struct named_pointer *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct named_pointer *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static enum enclosing_kind kind_of_symbols(enum mu_holder_root_kind kind)
{
	return kind == MU_HOLDER_TLS ? ENCLOSING_TLS :
	       kind == MU_HOLDER_STACK ? ENCLOSING_FUNCTION : ENCLOSING_VARIABLE;
}

/* Finds the symbols of pointers of one kind in one object. */
static void name_pointers(struct search *x, struct named_pointer *p, uint64_t count)
{
	struct enclosing_hit *hit;
	struct elf_file file, debug;

	if (p->module == MODULES_NONE || !process_modules_open(&x->modules, p->module, &file))
		return;
	hit = xcalloc(count, sizeof(*hit));
	for (uint64_t i = 0; i < count; i++)
		hit[i].address = p[i].address;
	enclosing_symbols_find(&file, kind_of_symbols(p->kind), hit, count);
	if (process_modules_open_debug(&x->modules, p->module, &file, &debug))
		enclosing_symbols_find(&debug, kind_of_symbols(p->kind), hit, count);
	for (uint64_t i = 0; i < count; i++) {
		if (!hit[i].name)
			continue;
		p[i].name = add_text(x->r, hit[i].name);
		if (p[i].kind == MU_HOLDER_STACK)
			continue;
		p[i].start = hit[i].start;
		p[i].size = hit[i].size;
	}
	free(hit);
	elf_file_close(&file);
	elf_file_close(&debug);
}

static void name_all(struct search *x)
{
	uint64_t first = 0;

	qsort(x->named, x->count, sizeof(*x->named), compare_addresses);
	for (uint64_t i = 1; i <= x->count; i++) {
		const struct named_pointer *p = &x->named[first];

		if (i < x->count && x->named[i].kind == p->kind && x->named[i].module == p->module)
			continue;
		name_pointers(x, &x->named[first], i - first);
		first = i;
	}
}

static uint32_t append_named_root(struct search *x, const struct named_pointer *p)
{
	const struct module *m = p->module == MODULES_NONE ? NULL :
							     &x->modules.all.module[p->module];
	struct mu_holder_root root = { .kind = (uint16_t)p->kind, .name = p->name,
				       .thread = p->thread, .size = p->size };

	if (m)
		root.object = add_text(x->r, m->path);
	if (p->kind == MU_HOLDER_STACK)
		root.address = p->start + (m ? m->bias : 0);
	else if (m && p->name && p->kind != MU_HOLDER_TLS)
		root.address = p->start + m->bias;
	return append_root(x->r, &root);
}

/* A thread is a nest of frames. If several frames are one root, the outermost one counts;
 * what is in no known frame is further out than all: frames are in the order of addresses. */
static void put_into_nest(struct holder_roots *r, uint32_t root, const struct named_pointer *p)
{
	const uint32_t depth = STACK_FRAMES_NONE - p->frame;
	struct holding_nest *nest = &r->nest[root];

	if (nest->number == 0 || depth < nest->depth)
		*nest = (struct holding_nest){ p->thread, depth };
}

static void make_named_roots(struct search *x)
{
	uint32_t root = HOLDING_NO_ROOT;

	qsort(x->named, x->count, sizeof(*x->named), compare_symbols);
	for (uint64_t i = 0; i < x->count; i++) {
		const struct named_pointer *p = &x->named[i];

		if (i == 0 || compare_symbols(p - 1, p) != 0)
			root = append_named_root(x, p);
		if (p->kind == MU_HOLDER_STACK)
			put_into_nest(x->r, root, p);
		x->r->of_pointer[p->pointer] = root;
	}
}

/* ---- all together ----------------------------------------------------------------------- */

void holder_roots_find(struct holder_roots *r, const struct snapshot *s,
		       const struct heap_graph *g)
{
	struct search x = { .r = r, .s = s, .g = g };
	const size_t areas = (size_t)s->space.count + 1;

	*r = (struct holder_roots){
		.of_pointer = xcalloc(g->pointers.roots + 1, sizeof(*r->of_pointer)) };
	x.of_area = xmalloc(areas * sizeof(*x.of_area));
	memset(x.of_area, 0xff, areas * sizeof(*x.of_area));
	process_modules_read(&x.modules, s);
	thread_storage_find(&x.storage, s, &x.modules);
	thread_frames_find(&x.frames, s, &x.modules);
	for (uint64_t i = 0; i < g->pointers.roots; i++)
		assign_pointer(&x, i);
	if (x.count > 0) {
		name_all(&x);
		make_named_roots(&x);
	}
	assign_to_areas(&x);
	thread_frames_free(&x.frames);
	thread_storage_free(&x.storage);
	process_modules_free(&x.modules);
	free(x.named);
	free(x.of_area);
}

void holder_roots_free(struct holder_roots *r)
{
	free(r->root);
	free(r->rank);
	free(r->nest);
	free(r->of_pointer);
	strings_free(&r->texts);
	*r = (struct holder_roots){ .count = 0 };
}
