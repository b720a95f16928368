/* attach.c -- Putting the recorder into a process that runs already.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/attach/before.h"
#include "memusage/attach/blob.h"
#include "memusage/attach/refusal.h"
#include "memusage/attach/stop.h"
#include "memusage/common/clock.h"
#include "memusage/common/fd_passing.h"
#include "memusage/common/process.h"

#define PAGE UINT64_C(4096)

enum { STAT_START_STACK = 28 }; /* number of the field in /proc/PID/stat */

struct beginning {
	const char *library;
	const struct mu_config *config;
	const void *watch;
	int wire; /* the arena's descriptor goes there */
};

/* ---- the arena --------------------------------------------------------------------------- */

/* It is made by the process, so it must be visible in no namespace, and belongs to its user and its
 * control group. */
static int fetch_arena(struct stop *s)
{
	char path[64];
	int pidfd = (int)syscall(SYS_pidfd_open, s->t.pid, 0), fd = -1;

	if (pidfd >= 0) {
		fd = (int)syscall(SYS_pidfd_getfd, pidfd, s->remote_fd, 0);
		close(pidfd);
	}
	if (fd < 0) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)s->t.view, s->remote_fd);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	return fd;
}

static enum target_result make_arena(struct stop *s, const struct beginning *from,
				     struct arena *arena)
{
	long fd;
	int local;

	target_write(&s->t, s->a->parameters, STOP_ARENA, sizeof(STOP_ARENA));
	fd = CALL(&s->b, SYS_memfd_create, s->a->parameters, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd == -EMFILE)
		return stop_refuse(s, "it has no free file descriptor (ulimit -n)", 0);
	if (fd < 0)
		return stop_refuse(s, "memfd_create in it", -fd);
	s->remote_fd = (int)fd;
	local = fetch_arena(s);
	if (local < 0)
		return stop_refuse(s, "cannot get the memory for the recording from it", errno);
	if (arena_create_in(arena, local, from->config, &s->a->err) < 0)
		return TARGET_REFUSED;
	memcpy(arena->shared->watch, from->watch, sizeof(arena->shared->watch));
	return arena_claim(arena) == 0 ? TARGET_OK : stop_refuse(s, "no slot is free", 0);
}

/* ---- beginning --------------------------------------------------------------------------- */

static uint64_t read_stack_end(const struct target *t)
{
	char text[4096], *at;

	process_read_file(t->view, "stat", text, sizeof(text));
	at = strrchr(text, ')');
	/* The name is the second field. */
	for (int field = 2; at && field < STAT_START_STACK; field++)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at + 1, NULL, 10) : 0;
}

static void fill_parameters(struct stop *s, const struct arena *arena)
{
	const struct mu_segment *head = &arena->view.head;
	struct mu_attach *p = s->parameters;
	uint16_t chance = 0;

	if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) < 0)
		chance = (uint16_t)clock_now(CLOCK_MONOTONIC);
	p->fd = s->remote_fd;
	p->slot = 0;
	p->segment_size = head->size;
	p->slots = head->slots;
	p->slot_size = head->slot_size;
	p->generation = MU_ATTACH_MARK << 48 | (uint64_t)chance << 32;
	p->stack_end = read_stack_end(&s->t);
	p->before = s->a->before.kind;
	p->before_blocks = s->a->before.blocks;
	p->before_bytes = s->a->before.bytes;
	memcpy(p->auxv, s->t.auxv, sizeof(p->auxv));
}

/* The answer of the recorder; it was written by the process. */
static enum target_result take_answer(struct stop *s)
{
	const struct mu_attach *p = s->parameters;
	struct code *c = &s->a->code;

	if (!target_read(&s->t, s->a->parameters, s->parameters, sizeof(*p)))
		return stop_refuse(s, "it has ended", 0);
	s->parameters->why[MU_ATTACH_TEXT - 1] = '\0';
	s->a->own = p->own;
	if (p->state != MU_ATTACH_BEGUN)
		return stop_refuse(s, p->why[0] ? p->why : "the recorder could not begin in it", 0);
	if (p->entries == 0 || p->entries > MU_ATTACH_ENTRIES || p->writes > MU_ATTACH_WRITES ||
	    p->areas > MU_ATTACH_AREAS || p->inside >= MU_ATTACH_TLS + MU_ATTACH_TLS_BYTES ||
	    p->key >= MU_ATTACH_TLS + MU_ATTACH_TLS_BYTES)
		return stop_refuse(s, "the recorder's answer makes no sense", 0);
	s->remote_fd = -1;
	c->inside = p->inside;
	c->key = p->key;
	c->generation = p->generation;
	c->areas = p->areas;
	c->entries = p->entries;
	memcpy(c->area, p->area, sizeof(c->area));
	memcpy(c->entry, p->entry, sizeof(c->entry));
	for (uint32_t i = 0; i < c->entries; i++) {
		if (c->entry[i].count > MU_ATTACH_JUMP)
			return stop_refuse(s, "the recorder's answer makes no sense", 0);
	}
	return TARGET_OK;
}

static bool write_thunks(struct stop *s)
{
	const struct mu_attach *p = s->parameters;

	for (uint32_t i = 0; i < p->writes; i++) {
		if (p->write[i].length > sizeof(p->write[i].bytes) ||
		    !target_write(&s->t, p->write[i].address, p->write[i].bytes,
				  p->write[i].length))
			return false;
	}
	return true;
}

/* Returns TARGET_OK when calls of malloc lead through the recorder. */
static enum target_result change_code(struct stop *s)
{
	enum target_result result;

	if (target_read_maps(&s->t, &s->a->err) < 0)
		return TARGET_REFUSED;
	if (!code_is_unchanged(&s->t, &s->a->code))
		return stop_refuse(s, "something has changed the code of its malloc (a "
				      "breakpoint, or another tool)", 0);
	if (!write_thunks(s))
		return stop_refuse(s, "the system forbids to write code into it", 0);
	result = code_move_in(&s->t, &s->a->code, &s->a->err);
	if (result != TARGET_OK)
		return result;
	if (!code_write(&s->t, &s->a->code))
		return stop_refuse(s, "the system forbids to change its code", 0);
	return TARGET_OK;
}

static enum target_result run_recorder(struct stop *s, struct blob *blob)
{
	struct attachment *a = s->a;
	const struct mu_own_mapping stack = { s->stack, STOP_STACK };
	uint32_t state;

	a->code.text = (struct mu_own_mapping){ a->blob + blob->text.start, blob->text.size };
	if (!target_write(&s->t, a->parameters, s->parameters, sizeof(*s->parameters)))
		return stop_refuse(s, "cannot write to it", errno);
	state = borrow_run(&s->b, a->blob + blob->begin, a->parameters, &stack,
			   a->parameters + offsetof(struct mu_attach, state), &a->err);
	if (state)
		return take_answer(s);
	return s->b.thread ? TARGET_REFUSED : TARGET_BUSY;
}

static enum target_result put_recorder(struct stop *s, struct blob *blob,
				       const struct beginning *from, struct arena *arena)
{
	struct attachment *a = s->a;
	enum target_result result;
	uint64_t start = 0;

	a->parameters = stop_map(s, a->parameters_size);
	if (!a->parameters)
		return TARGET_REFUSED;
	if (refusal_locks_memory(&s->t, a->parameters))
		return stop_refuse(s, "it locks all its memory (mlockall), and would lock that of "
				      "the recording: start it under memusage", 0);
	s->stack = stop_map(s, STOP_STACK);
	if (!s->stack)
		return TARGET_REFUSED;
	a->blob_size = blob->size;
	if (!blob_load(blob, &s->b, &start, &a->err)) {
		a->blob = start;
		return TARGET_REFUSED;
	}
	a->blob = start;
	result = make_arena(s, from, arena);
	if (result != TARGET_OK)
		return result;
	fill_parameters(s, arena);
	result = run_recorder(s, blob);
	return result == TARGET_OK ? change_code(s) : result;
}

/* A thread that was lost has gone home; another one may be borrowed. */
static void undo(struct stop *s)
{
	struct mu_error ignored;

	if (!s->b.thread && borrow_begin(&s->b, &s->t, &ignored) != TARGET_OK)
		return;
	if (s->remote_fd >= 0)
		CALL(&s->b, SYS_close, (uint64_t)s->remote_fd);
	/* The recorder says first where its list is. */
	if (s->a->parameters)
		target_read(&s->t, s->a->parameters + offsetof(struct mu_attach, own), &s->a->own,
			    sizeof(s->a->own));
	if (target_read_maps(&s->t, &ignored) == 0)
		stop_remove_recorder(s);
}

static enum target_result attach_stopped(struct stop *s, struct blob *blob,
					 const struct beginning *from, struct arena *arena)
{
	enum target_result result = refusal_check_threads(&s->t, &s->a->err);

	if (result == TARGET_OK && target_read_maps(&s->t, &s->a->err) < 0)
		result = TARGET_REFUSED;
	if (result == TARGET_OK)
		result = before_count(s);
	if (result == TARGET_OK)
		result = borrow_begin(&s->b, &s->t, &s->a->err);
	if (result != TARGET_OK)
		return result;
	result = put_recorder(s, blob, from, arena);
	if (result == TARGET_OK)
		stop_unmap(s, &s->stack, STOP_STACK);
	else
		undo(s);
	borrow_end(&s->b);
	return result;
}

static enum target_result attach_once(struct attachment *a, void *data)
{
	const struct beginning *from = data;
	struct stop s = { .a = a, .remote_fd = -1 };
	struct arena arena = { .fd = -1 };
	struct blob blob = { .file = NULL };
	enum target_result result;

	a->parameters = a->blob = a->own = 0;
	a->parameters_size = (sizeof(struct mu_attach) + PAGE - 1) & -PAGE;
	if (target_open(&s.t, a->pid, &a->err) < 0) {
		if (errno == EACCES || errno == EPERM)
			refusal_explain_denied(a->pid, &a->err);
		return TARGET_REFUSED;
	}
	result = refusal_check(&s.t, &a->err);
	if (result == TARGET_OK && blob_read(&blob, from->library, &a->err) < 0)
		result = TARGET_REFUSED;
	if (result != TARGET_OK)
		return result;
	before_prepare(&s);
	s.parameters = xcalloc(1, sizeof(*s.parameters));
	s.began_ns = clock_now(CLOCK_MONOTONIC);
	result = target_stop(&s.t, &a->err);
	if (result == TARGET_OK)
		result = attach_stopped(&s, &blob, from, &arena);
	stop_end(&s);
	if (result == TARGET_OK)
		fd_passing_send(from->wire, "", 1, arena.fd, 0);
	return result;
}

struct attachment *attach_begin_recording(pid_t pid, const char *library,
					  const struct mu_config *config, const void *watch,
					  struct arena *arena, struct mu_error *err)
{
	struct attachment *a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct beginning from = { .library = library, .config = config, .watch = watch };
	char data;
	int pair[2], fd = -1;

	if (a == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
		return NULL;
	}
	a->pid = pid;
	from.wire = pair[1];
	if (stop_try_often(a, attach_once, &from) == TARGET_OK &&
	    fd_passing_receive(pair[0], &data, 1, &fd) == 1 && fd >= 0 &&
	    arena_adopt(arena, fd, &a->err) == 0) {
		close(pair[0]);
		close(pair[1]);
		return a;
	}
	close(pair[0]);
	close(pair[1]);
	if (fd >= 0)
		attach_end_recording(a, fd);
	*err = a->err;
	attach_free(a);
	return NULL;
}
