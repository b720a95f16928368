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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/attach/before.h"
#include "memusage/attach/blob.h"
#include "memusage/attach/filter.h"
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
	pid_t attacher; /* the process that lives as long as the recording */
	int wire; /* the arena's descriptor goes there */
};

/* ---- memory files ------------------------------------------------------------------------ */

/* A process may share its descriptors with one that runs on, and puts there what it likes: a handle
 * of a file that its user may not even read. So root opens nothing but an empty memory file. */
static bool is_empty_memory(int handle)
{
	int own = memfd_create("", MFD_CLOEXEC);
	struct stat mine, its;
	bool is_memory = own >= 0 && fstat(own, &mine) == 0 && fstat(handle, &its) == 0 &&
			 S_ISREG(its.st_mode) && its.st_dev == mine.st_dev && its.st_size == 0;

	if (own >= 0)
		close(own);
	return is_memory;
}

/* Where pidfd_getfd() is not known, or forbidden. */
static int open_descriptor(const struct stop *s, int remote)
{
	char path[64];
	int handle, fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)s->t.view, remote);
	handle = open(path, O_PATH | O_CLOEXEC);
	if (handle < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", handle);
	errno = EPERM;
	if (is_empty_memory(handle))
		fd = open(path, O_RDWR | O_CLOEXEC);
	close(handle);
	return fd;
}

/* Only a memory file can be sealed; what is sealed for ever could be any other file. */
static bool can_be_sealed(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && !(seals & F_SEAL_SEAL);
}

static int fetch_file(struct stop *s, int remote)
{
	int pidfd = (int)syscall(SYS_pidfd_open, s->t.pid, 0), fd = -1;

	if (pidfd >= 0) {
		fd = (int)syscall(__NR_pidfd_getfd, pidfd, remote, 0);
		close(pidfd);
	}
	if (fd < 0)
		fd = open_descriptor(s, remote);
	if (fd < 0 || can_be_sealed(fd))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* A memory file is made by the process, so it must be visible in no namespace, and belongs to its
 * user and its control group. *REMOTE is the descriptor there. */
static enum target_result make_file(struct stop *s, const char *name, int *remote, int *local)
{
	const uint64_t text = borrow_text(&s->b, name);
	long fd = CALL(&s->b, SYS_memfd_create, text, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd == -EMFILE)
		return stop_refuse(s, "it has no free file descriptor (ulimit -n)", 0);
	if (fd < 0)
		return stop_refuse(s, "memfd_create in it", -fd);
	*remote = (int)fd;
	*local = fetch_file(s, *remote);
	return *local >= 0 ? TARGET_OK :
			     stop_refuse(s, "cannot get the memory for the recording from it",
					 errno);
}

static enum target_result make_arena(struct stop *s, const struct beginning *from,
				     struct arena *arena)
{
	int local = -1;
	enum target_result result = make_file(s, STOP_ARENA, &s->remote_fd, &local);

	if (result != TARGET_OK)
		return result;
	if (arena_create_in(arena, local, from->config, &s->a->err) < 0)
		return TARGET_REFUSED;
	memcpy(arena->shared->watch, from->watch, sizeof(arena->shared->watch));
	return arena_claim(arena) == 0 ? TARGET_OK : stop_refuse(s, "no slot is free", 0);
}

static void close_remote(struct stop *s, int *fd)
{
	if (*fd >= 0)
		CALL(&s->b, SYS_close, (uint64_t)*fd);
	*fd = -1;
}

/* ---- the recorder's range of addresses --------------------------------------------------- */

#define PARAMETERS_SIZE ((sizeof(struct mu_attach) + PAGE - 1) & -PAGE)
#define BLOB_AT (PARAMETERS_SIZE + STOP_STACK) /* the stack is between */

static uint64_t own_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 ? st.st_ino : 0;
}

/* The name of the file is in the list of mappings, and its contents tell the rest, from the moment
 * that it is mapped: so whenever we are killed, the next attacher finds what there is. */
static enum target_result map_range(struct stop *s, const struct blob *blob, pid_t attacher)
{
	struct mu_attach *p = s->parameters;
	struct stat st;
	enum target_result result = make_file(s, MU_ATTACH_FILE, &s->remote_file, &s->file);
	long place;

	if (result != TARGET_OK)
		return result;
	p->magic = MU_ATTACH_MAGIC;
	p->size = BLOB_AT + blob->size;
	p->stack = PARAMETERS_SIZE;
	p->blob = BLOB_AT;
	p->attacher = (uint32_t)attacher;
	p->attacher_start = process_start_time(attacher);
	p->attacher_namespace = own_namespace();
	if (ftruncate(s->file, (off_t)p->size) < 0 || fstat(s->file, &st) < 0 ||
	    pwrite(s->file, p, sizeof(*p), 0) != (ssize_t)sizeof(*p))
		return stop_refuse(s, "cannot write to its memory file", errno);
	place = CALL(&s->b, SYS_mmap, 0, p->size, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE,
		     (uint64_t)s->remote_file, 0);
	if (place < 0 && place > -(long)PAGE)
		return stop_refuse(s, "it has no room left in its memory", -place);
	s->a->file = st.st_ino;
	s->a->parameters = (uint64_t)place;
	s->a->size = p->size;
	s->a->blob = (uint64_t)place + BLOB_AT;
	s->a->code.stack = (struct mu_own_mapping){ (uint64_t)place + PARAMETERS_SIZE, STOP_STACK };
	place = CALL(&s->b, SYS_mprotect, s->a->parameters, BLOB_AT, PROT_READ | PROT_WRITE);
	return place == 0 ? TARGET_OK :
			    stop_refuse(s, "it has no room left in its memory", -place);
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
	p->only_stack = s->t.tracee.count == 1 ? tracee_stack(&s->t.tracee.thread[0]) : 0;
	p->before = s->a->before.kind;
	p->mapped_header = s->a->before.mapped_header;
	p->before_blocks = s->a->before.blocks;
	p->before_bytes = s->a->before.bytes;
	p->is_confined = process_status_value(s->t.view, "Seccomp:", 10, 0) != 0;
	memcpy(p->auxv, s->t.auxv, sizeof(p->auxv));
}

/* The answer of the recorder; it was written by the process. */
static enum target_result take_answer(struct stop *s)
{
	const struct mu_attach *p = s->parameters;

	if (!target_read(&s->t, s->a->parameters, s->parameters, sizeof(*p)))
		return stop_refuse(s, "it has ended", 0);
	s->parameters->why[MU_ATTACH_TEXT - 1] = '\0';
	s->a->own = p->own;
	if (p->state != MU_ATTACH_BEGUN)
		return stop_refuse(s, p->why[0] ? p->why : "the recorder could not begin in it", 0);
	if (p->entries == 0 || p->writes > MU_ATTACH_WRITES || !code_take(&s->a->code, p))
		return stop_refuse(s, "the recorder's answer makes no sense", 0);
	s->remote_fd = -1;
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
	/* A borrowed thread cannot be moved: if we were killed after it got the registers of its
	 * own place, all its signals would be blocked for ever. */
	borrow_end(&s->b);
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
	uint32_t state;

	s->parameters->text =
		(struct mu_own_mapping){ a->blob + blob->text.start, blob->text.size };
	if (!target_write(&s->t, a->parameters, s->parameters, sizeof(*s->parameters)))
		return stop_refuse(s, "cannot write to it", errno);
	state = borrow_run(&s->b, a->blob + blob->begin, a->parameters, &a->code.stack,
			   a->parameters + offsetof(struct mu_attach, state), &a->err);
	if (state)
		return take_answer(s);
	return s->b.thread ? TARGET_REFUSED : TARGET_BUSY;
}

static enum target_result put_recorder(struct stop *s, struct blob *blob,
				       const struct beginning *from, struct arena *arena)
{
	struct attachment *a = s->a;
	enum target_result result = map_range(s, blob, from->attacher);

	if (result != TARGET_OK)
		return result;
	if (refusal_locks_memory(&s->t, a->parameters))
		return stop_refuse(s, "it locks all its memory (mlockall), and would lock that of "
				      "the recording: start it under memusage", 0);
	const struct blob_place place = { .start = a->blob, .offset = BLOB_AT,
					  .file = s->file, .remote_file = s->remote_file };
	if (blob_load(blob, &s->b, &place, &a->err) < 0)
		return TARGET_REFUSED;
	close_remote(s, &s->remote_file);
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
	close_remote(s, &s->remote_file);
	close_remote(s, &s->remote_fd);
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

	if (result == TARGET_OK)
		result = filter_check(&s->t, &s->a->err);
	if (result == TARGET_OK && target_read_maps(&s->t, &s->a->err) < 0)
		result = TARGET_REFUSED;
	/* Another attacher may have been faster. */
	if (result == TARGET_OK)
		result = refusal_check_mappings(&s->t, &s->a->err);
	/* Nobody would record, and another one may be looking for what we leave. */
	if (result == TARGET_OK && getppid() != from->attacher)
		result = stop_refuse(s, "its attacher was killed", 0);
	if (result == TARGET_OK)
		result = before_count(s);
	if (result == TARGET_OK)
		result = borrow_begin(&s->b, &s->t, &s->a->err);
	if (result != TARGET_OK)
		return result;
	result = put_recorder(s, blob, from, arena);
	if (result != TARGET_OK)
		undo(s);
	borrow_end(&s->b);
	return result;
}

static enum target_result attach_once(struct attachment *a, void *data)
{
	const struct beginning *from = data;
	struct stop s = { .a = a, .file = -1, .remote_file = -1, .remote_fd = -1 };
	struct arena arena = { .fd = -1 };
	struct blob blob = { .file = NULL };
	enum target_result result;

	a->parameters = a->blob = a->own = 0;
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
	target_find_contexts(&s.t);
	before_prepare(&s);
	s.parameters = xcalloc(1, sizeof(*s.parameters));
	result = stop_begin(&s);
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
	struct beginning from = { .library = library, .config = config, .watch = watch,
				  .attacher = getpid() };
	char data;
	int pair[2], fd = -1;

	if (a == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
		return NULL;
	}
	a->pid = pid;
	a->attacher = from.attacher;
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
		attach_end_recording(a);
	*err = a->err;
	attach_free(a);
	return NULL;
}
