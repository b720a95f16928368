/* thread_frames.c -- The frames on the stacks of a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/holders/thread_frames.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/file.h"

enum {
	STACK_BYTES = 1 << 20,	/* of one thread that are looked at */
	ALL_BYTES = 256 << 20,	/* of all threads */
	RED_ZONE = 128
};

/* ---- code ------------------------------------------------------------------------------- */

/* The objects of a process, and behind them the one that the kernel maps. */
struct objects {
	const struct process_modules *m;
	const struct area *vdso; /* NULL: there is none */
	struct elf_file *file;
};

static uint32_t find_object(const void *data, uint64_t address, uint64_t *bias)
{
	const struct objects *o = data;
	const uint32_t module = process_modules_find(o->m, address);

	if (module != MODULES_NONE) {
		*bias = o->m->all.module[module].bias;
		return module;
	}
	if (!o->vdso || address < o->vdso->start || address >= o->vdso->end)
		return STACK_FRAMES_NONE;
	*bias = o->vdso->start;
	return o->m->all.count;
}

/* The kernel's object has no file. */
static void open_vdso(struct elf_file *file, const struct snapshot *s, const struct area *a)
{
	const size_t size = a->end - a->start;
	const int fd = memfd_create("vdso", MFD_CLOEXEC);
	void *image = xmalloc(size);
	struct mu_error err;

	if (fd >= 0 && address_space_read(&s->space, a->start, image, size) == size &&
	    file_write_at(fd, image, size, 0))
		elf_file_take(file, fd, &err);
	else if (fd >= 0)
		close(fd);
	free(image);
}

static void open_objects(struct objects *o, const struct process_modules *m,
			 const struct snapshot *s)
{
	*o = (struct objects){ .m = m, .file = xcalloc(m->all.count + 1, sizeof(*o->file)) };
	for (uint32_t i = 0; i <= m->all.count; i++)
		o->file[i].fd = -1;
	for (uint32_t i = 0; i < m->all.count; i++) {
		const struct module *module = &m->all.module[i];

		if (module->opened <= m->generation && m->generation < module->closed)
			process_modules_open(m, i, &o->file[i]);
	}
	for (uint32_t i = 0; i < s->space.count; i++) {
		if (strcmp(s->space.area[i].name, "[vdso]") == 0)
			o->vdso = &s->space.area[i];
	}
	if (o->vdso && o->vdso->end - o->vdso->start < STACK_BYTES)
		open_vdso(&o->file[m->all.count], s, o->vdso);
}

static void close_objects(struct objects *o)
{
	for (uint32_t i = 0; i <= o->m->all.count; i++)
		elf_file_close(&o->file[i]);
	free(o->file);
}

/* ---- threads ---------------------------------------------------------------------------- */

static void take_registers(struct call_state *state, const struct tracee_thread *t)
{
	uint64_t word[TRACEE_REGISTERS];

	tracee_pointers(t, word);
	for (unsigned int i = 0; i < TRACEE_REGISTERS; i++)
		state->reg[tracee_abi_number(i)] = word[i];
	state->reg[CALL_RSP] = tracee_stack(t);
	state->reg[CALL_PC] = tracee_code(t);
	state->known = (1u << CALL_REGISTERS) - 1;
	state->is_exact = true;
}

/* A thread that ends the process is in exit(): it begins with the caller of that. */
static void take_exit_registers(struct call_state *state, const struct snapshot *s)
{
	static const uint8_t number[MU_EXAMINED_REGISTERS] = { CALL_RBX, CALL_RBP, CALL_R12,
							       CALL_R12 + 1, CALL_R12 + 2,
							       CALL_R15 };
	const struct mu_examined *e = &s->examined;
	uint64_t code;

	*state = (struct call_state){ .known = 1u << CALL_RSP };
	state->reg[CALL_RSP] = e->exit_sp;
	for (unsigned int i = 0; i < MU_EXAMINED_REGISTERS; i++) {
		state->reg[number[i]] = e->exit_register[i];
		state->known |= 1u << number[i];
	}
	if (address_space_read(&s->space, e->exit_sp - sizeof(code), &code, sizeof(code)) !=
	    sizeof(code))
		return;
	state->reg[CALL_PC] = code;
	state->known |= 1u << CALL_PC;
}

static void copy_stack(struct call_memory *m, const struct snapshot *s, uint64_t sp, size_t *left)
{
	const struct area *a = address_space_find(&s->space, sp);
	const uint64_t start = a && sp - RED_ZONE >= a->start ? sp - RED_ZONE : sp;
	uint64_t bytes = a ? a->end - start : 0;
	uint8_t *copy;

	bytes = bytes > STACK_BYTES ? STACK_BYTES : bytes;
	bytes = bytes > *left ? *left : bytes;
	copy = xmalloc(bytes + 1);
	*m = (struct call_memory){ .start = start, .byte = copy };
	m->bytes = address_space_read(&s->space, start, copy, bytes);
	*left -= m->bytes;
}

static void take_thread(struct stack_thread *to, const struct snapshot *s,
			const struct tracee_thread *t, size_t *left)
{
	if (s->examined.exit_thread == (uint32_t)t->tid)
		take_exit_registers(&to->state, s);
	else
		take_registers(&to->state, t);
	copy_stack(&to->memory, s, to->state.reg[CALL_RSP], left);
}

/* ---- all together ----------------------------------------------------------------------- */

void thread_frames_find(struct thread_frames *f, const struct snapshot *s,
			const struct process_modules *m)
{
	const uint32_t count = s->tracee.count;
	struct stack_thread *thread = xcalloc((size_t)count + 1, sizeof(*thread));
	struct stack_objects objects;
	size_t left = ALL_BYTES;
	struct objects o;

	*f = (struct thread_frames){ .s = s };
	open_objects(&o, m, s);
	objects = (struct stack_objects){ .count = m->all.count + 1, .file = o.file,
					  .find = find_object, .data = &o };
	for (uint32_t i = 0; i < count; i++)
		take_thread(&thread[i], s, &s->tracee.thread[i], &left);
	stack_frames_find(&f->all, thread, count, &objects);
	for (uint32_t i = 0; i < count; i++)
		free((void *)(uintptr_t)thread[i].memory.byte);
	close_objects(&o);
	free(thread);
}

/* Returns the frame to which a register belongs: the place of a pointer tells which it is. */
static uint32_t frame_of_register(const struct thread_frames *f, const struct root *root,
				  uint64_t place)
{
	const uint64_t number = place / sizeof(uint64_t);
	const unsigned int reg = number < TRACEE_REGISTERS ?
					 tracee_abi_number((unsigned int)number) : CALL_REGISTERS;

	for (uint32_t i = 0; i < f->s->tracee.count; i++) {
		if (f->s->tracee.thread[i].tid == root->thread)
			return stack_frames_of_register(&f->all, i, reg);
	}
	return STACK_FRAMES_NONE;
}

uint32_t thread_frames_of_pointer(const struct thread_frames *f, const struct root *root,
				  const struct root_pointer *p)
{
	return root->kind == ROOT_REGISTERS ? frame_of_register(f, root, p->place) :
					      stack_frames_at(&f->all, p->place);
}

pid_t thread_frames_thread(const struct thread_frames *f, uint32_t frame)
{
	return f->s->tracee.thread[f->all.frame[frame].thread].tid;
}

void thread_frames_free(struct thread_frames *f)
{
	stack_frames_free(&f->all);
}
