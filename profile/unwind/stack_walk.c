/* stack_walk.c -- Walks the stacks of threads, frame by frame.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/unwind/stack_walk.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

enum { RED_ZONE = 128 }; /* bytes below the stack pointer that a function may use */

/* The tables of all objects; those of one are read when code of it is met. */
struct walk {
	const struct stack_walk *of;
	const struct stack_objects *objects;
	struct call_tables **tables;
	bool *is_read;
	stack_walk_fn *visit;
	void *data;
};

static struct call_tables *tables_of_object(struct walk *w, uint32_t object)
{
	const struct elf_file *file = &w->objects->file[object];

	if (!w->is_read[object] && file->data)
		w->tables[object] = call_frame_tables(w->of->library, file);
	w->is_read[object] = true;
	return w->tables[object];
}

/* Replaces S by the caller's, and fills in what is known of the frame. */
static bool step_to_caller(struct walk *w, struct call_state *s, const struct call_memory *m,
			   struct stack_frame *frame)
{
	struct call_tables *tables;
	uint64_t bias;
	uint32_t object;

	frame->low = s->reg[CALL_RSP] - (s->is_exact && frame->depth == 0 ? RED_ZONE : 0);
	frame->code = s->reg[CALL_PC] - (s->is_exact ? 0 : 1);
	object = w->objects->find(w->objects->data, frame->code, &bias);
	tables = object < w->objects->count ? tables_of_object(w, object) : NULL;
	if (!tables || !call_frame_step(tables, bias, s, m, frame->saved))
		return false;
	frame->high = s->reg[CALL_RSP];
	/* So each step leads on, and a walk ends. */
	return frame->high > frame->low && frame->high - m->start <= m->bytes;
}

/* Returns false to end the walk of all threads. */
static bool walk_thread(struct walk *w, const struct stack_thread *thread, uint32_t number)
{
	const uint32_t needed = 1u << CALL_PC | 1u << CALL_RSP;
	struct call_state s = thread->state;

	if ((s.known & needed) != needed)
		return true;
	for (uint32_t depth = 0; depth < STACK_FRAMES_MOST; depth++) {
		struct stack_frame frame = { .thread = number, .depth = depth };

		if (!step_to_caller(w, &s, &thread->memory, &frame))
			return true;
		if (!w->visit(w->data, &frame))
			return false;
	}
	return true;
}

void stack_walk(const struct stack_walk *of, stack_walk_fn *visit, void *data)
{
	const struct stack_objects *objects = of->objects;
	struct walk w = { .of = of, .objects = objects, .visit = visit, .data = data };

	w.tables = xcalloc((size_t)objects->count + 1, sizeof(struct call_tables *));
	w.is_read = xcalloc((size_t)objects->count + 1, sizeof(*w.is_read));
	for (uint32_t i = 0; i < of->count && walk_thread(&w, &of->thread[i], i); i++)
		;
	for (uint32_t i = 0; i < objects->count; i++)
		call_frame_close(w.tables[i]);
	free(w.tables);
	free(w.is_read);
}
