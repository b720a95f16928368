/* adopt.c -- The recorder of an attacher that was killed, or that could not take it away.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/adopt.h"

#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/attach/refusal.h"
#include "memusage/common/process.h"

#define FILE_START "/memfd:" MU_ATTACH_FILE " "
#define ARENA_START "/memfd:" STOP_ARENA " "
#define SLOTS_MOST UINT64_C(65536)

/* ---- finding it -------------------------------------------------------------------------- */

/* 7f0000000000-7f0000010000 rw-p 00000000 00:01 2049     /memfd:memusage-attach (deleted)
 * The first mapping begins with the parameters. */
ino_t adopt_file(pid_t pid, uint64_t *start)
{
	char path[32], *line = NULL;
	unsigned long long at, offset, inode;
	ino_t found = 0;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process_view(pid));
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &size, maps) > 0) {
		if (strstr(line, FILE_START) &&
		    sscanf(line, "%llx-%*x %*s %llx %*s %llu", &at, &offset, &inode) == 3 &&
		    offset == 0) {
			found = (ino_t)inode;
			*start = at;
		}
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

typedef bool descriptor_fn(void *data, int fd);

/* Calls VISIT for each open file whose name begins so, until it returns false. */
static void visit_descriptors(pid_t pid, const char *name, descriptor_fn *visit, void *data)
{
	const pid_t view = process_view(pid);
	char path[320], link[64];
	const struct dirent *entry;
	bool goes_on = true;
	ssize_t length;
	DIR *all;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)view);
	all = opendir(path);
	while (all && goes_on && (entry = readdir(all))) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)view, entry->d_name);
		length = readlink(path, link, sizeof(link) - 1);
		link[length > 0 ? length : 0] = '\0';
		if (strncmp(link, name, strlen(name)) == 0)
			goes_on = visit(data, atoi(entry->d_name));
	}
	if (all)
		closedir(all);
}

static bool note_any(void *data, int fd)
{
	(void)fd;
	*(bool *)data = true;
	return false;
}

static bool has_descriptors(pid_t pid)
{
	bool any = false;

	visit_descriptors(pid, FILE_START, note_any, &any);
	return any;
}

/* ---- its attacher ------------------------------------------------------------------------ */

static bool is_alive(const struct mu_attach *p)
{
	const pid_t pid = (pid_t)p->attacher;
	char state;
	int status;

	return process_exit_code(pid, &state, &status) && state != 'Z' && state != 'X' &&
	       process_start_time(pid) == p->attacher_start;
}

/* Returns 0, or -1 with ERR if it may be at work. */
static int check_attacher(const struct mu_attach *p, pid_t pid, bool is_ordered,
			  struct mu_error *err)
{
	struct stat st;
	const bool is_ours = stat("/proc/self/ns/pid", &st) == 0 &&
			     st.st_ino == p->attacher_namespace;

	if (is_ours && is_alive(p))
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "it is recorded already, by process %u: ask with memusage "
				    "--pid=%d, or end that with kill -INT %u",
				    p->attacher, (int)pid, p->attacher);
	if (!is_ours && !is_ordered)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "a process in another PID namespace has attached to it: end "
				    "that there; if it has ended, give memusage --detach=%d",
				    (int)pid);
	return 0;
}

/* ---- taking it over ---------------------------------------------------------------------- */

/* The process could have written all that is read. */
static int take_over(struct attachment *a, const struct target *t)
{
	struct mu_attach *p = xcalloc(1, sizeof(*p));
	int result = -1;

	if (!target_read(t, a->parameters, p, sizeof(*p)) || p->magic != MU_ATTACH_MAGIC ||
	    p->size < p->blob || p->blob < p->stack || p->size > UINT32_MAX ||
	    !code_take(&a->code, p)) {
		mu_error_set(&a->err, MU_ERROR_FORMAT, 0,
			     "another version of memusage has attached to it: take its recorder "
			     "away with that");
	} else {
		a->size = p->size;
		a->code.stack = (struct mu_own_mapping){ a->parameters + p->stack,
							 p->blob - p->stack };
		a->blob = a->parameters + p->blob;
		a->own = p->own;
		result = check_attacher(p, a->pid, a->is_ordered, &a->err);
	}
	free(p);
	return result;
}

static int open_and_take_over(struct attachment *a)
{
	struct target t;
	int result = target_open(&t, a->pid, &a->err);

	if (result < 0)
		refusal_explain_denied(a->pid, &a->err);
	else
		result = take_over(a, &t);
	target_close(&t);
	return result;
}

enum adopt_result adopt_and_remove(pid_t pid, bool is_ordered, struct mu_error *err)
{
	struct attachment *a;
	uint64_t start = 0;
	const ino_t file = adopt_file(pid, &start);
	bool ok;

	if (!file && !has_descriptors(pid))
		return ADOPT_NONE;
	a = mmap(NULL, sizeof(*a), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
		return ADOPT_FAILED;
	}
	a->pid = pid;
	a->file = file;
	a->parameters = start;
	a->is_adopted = true;
	a->is_ordered = is_ordered;
	ok = (!file || open_and_take_over(a) == 0) && attach_end_recording(a);
	if (!ok)
		*err = a->err;
	attach_free(a);
	return ok ? ADOPT_GONE : ADOPT_FAILED;
}

/* ---- while it is stopped ----------------------------------------------------------------- */

enum target_result adopt_look_again(struct stop *s)
{
	struct attachment *a = s->a;
	uint64_t start = 0;

	a->file = adopt_file(s->t.view, &start);
	a->parameters = start;
	a->own = 0;
	memset(&a->code, 0, sizeof(a->code));
	return !a->file || take_over(a, &s->t) == 0 ? TARGET_OK : TARGET_REFUSED;
}

static bool close_one(void *data, int fd)
{
	struct stop *s = data;

	CALL(&s->b, SYS_close, (uint64_t)fd);
	return true;
}

void adopt_close_descriptors(struct stop *s)
{
	visit_descriptors(s->t.view, FILE_START, close_one, s);
	visit_descriptors(s->t.view, ARENA_START, close_one, s);
}

/* Returns the address of the recording's header in the process, 0 without one. */
static uint64_t find_header(const struct target *t, struct mu_segment *head)
{
	for (uint32_t i = 0; i < t->maps.count; i++) {
		const struct area *area = &t->maps.area[i];

		if (strncmp(area->name, ARENA_START, strlen(ARENA_START)) == 0 &&
		    target_read(t, area->start, head, sizeof(*head)) &&
		    head->magic == MU_SEGMENT_MAGIC && head->slot_count <= SLOTS_MOST &&
		    head->slot_table + head->slot_count * sizeof(struct mu_slot) <=
			    area->end - area->start)
			return area->start;
	}
	return 0;
}

void adopt_end_image(struct stop *s)
{
	const uint32_t left = MU_SLOT_LEFT, own = (uint32_t)process_own_pid(s->t.pid);
	struct mu_segment head;
	struct mu_slot slot;
	const uint64_t at = find_header(&s->t, &head);
	uint64_t place;

	for (uint64_t i = 0; at && i < head.slot_count; i++) {
		place = at + head.slot_table + i * sizeof(slot);
		if (!target_read(&s->t, place, &slot, sizeof(slot)) ||
		    (slot.pid != own && slot.pid != (uint32_t)s->t.pid) ||
		    slot.state != MU_SLOT_LIVE)
			continue;
		target_write(&s->t, place + offsetof(struct mu_slot, state), &left, sizeof(left));
		place = at + offsetof(struct mu_segment, wake);
		head.wake++;
		target_write(&s->t, place, &head.wake, sizeof(head.wake));
		CALL(&s->b, SYS_futex, place, FUTEX_WAKE, INT_MAX);
		break;
	}
}
