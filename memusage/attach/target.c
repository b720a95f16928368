/* target.c -- A process that memusage attaches to: its memory, threads and mappings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/target.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/process.h"

enum {
	OBJECTS_MAX = 65536,
	HEADERS_MAX = 64,
	DYNAMIC_MAX = 512,
	NAMES_MAX = 64 << 20,
	CODE_MOST = 64 << 20,
	ALL_NAMES_MAX = 1 << 30,
	SOONEST = -20
};

/* ---- memory ------------------------------------------------------------------------------ */

bool target_read(const struct target *t, uint64_t address, void *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(t->memory, (char *)to + done, size - done,
				    (off_t)(address + done));

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

bool target_write(const struct target *t, uint64_t address, const void *from, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pwrite(t->memory, (const char *)from + done, size - done,
				     (off_t)(address + done));

		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static int open_memory(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)tid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void read_auxv(pid_t tid, uint64_t *auxv, size_t size)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, auxv, size) < 0)
		auxv[0] = AT_NULL;
	close(fd);
}

bool target_has_executed(const struct target *t, pid_t tid)
{
	uint64_t now[sizeof(t->auxv) / sizeof(*t->auxv)] = { AT_NULL };

	read_auxv(tid, now, sizeof(now) - 16);
	return memcmp(now, t->auxv, sizeof(now)) != 0;
}

int target_open(struct target *t, pid_t pid, struct mu_error *err)
{
	*t = (struct target){ .pid = pid, .view = process_view(pid), .memory = -1,
			      .maps = { .pagemap = -1, .touched_pagemap = -1 } };
	int why;

	t->memory = open_memory(t->view);
	if (t->memory >= 0) {
		read_auxv(t->view, t->auxv, sizeof(t->auxv) - 16);
		return 0;
	}
	/* Only root may look into a process that has no memory any more. */
	if (errno == ENOENT || (errno == EACCES && process_is_ending(t->view)))
		errno = ESRCH;
	why = errno;
	if (why == ESRCH)
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "there is no such process");
	else
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	errno = why;
	return -1;
}

void target_close(struct target *t)
{
	tracee_free(&t->tracee);
	address_space_close(&t->maps);
	if (t->pid > 0 && t->memory >= 0)
		close(t->memory);
	*t = (struct target){ .memory = -1 };
}

uint64_t target_auxv(const struct target *t, uint64_t type)
{
	for (size_t i = 0; i + 1 < sizeof(t->auxv) / sizeof(*t->auxv) && t->auxv[i]; i += 2) {
		if (t->auxv[i] == type)
			return t->auxv[i + 1];
	}
	return 0;
}

int target_read_maps(struct target *t, struct mu_error *err)
{
	address_space_close(&t->maps);
	return address_space_open(&t->maps, t->view, t->view, err);
}

/* ---- code -------------------------------------------------------------------------------- */

/* Returns the address of the word of the dynamic section with TAG, 0 without one. */
static uint64_t find_dynamic(const struct target *t, uint64_t at, uint64_t size, int64_t tag)
{
	Elf64_Dyn d;

	for (uint64_t i = 0; i < size / sizeof(d) && i < DYNAMIC_MAX; i++) {
		if (!target_read(t, at + i * sizeof(d), &d, sizeof(d)) || d.d_tag == DT_NULL)
			return 0;
		if (d.d_tag == tag)
			return d.d_un.d_ptr;
	}
	return 0;
}

/* Returns an entry of the executable's dynamic section, 0 without one; *BIAS is what is to be added
 * to addresses of its file. */
static uint64_t find_in_program(const struct target *t, int64_t tag, uint64_t *bias)
{
	const uint64_t headers = target_auxv(t, AT_PHDR), count = target_auxv(t, AT_PHNUM);
	Elf64_Phdr part[HEADERS_MAX];

	*bias = 0;
	if (!headers || count > HEADERS_MAX ||
	    !target_read(t, headers, part, count * sizeof(*part)))
		return 0;
	for (uint64_t i = 0; i < count; i++) {
		if (part[i].p_type == PT_PHDR)
			*bias = headers - part[i].p_vaddr;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (part[i].p_type == PT_DYNAMIC)
			return find_dynamic(t, *bias + part[i].p_vaddr, part[i].p_memsz, tag);
	}
	return 0;
}

bool target_program_names(const struct target *t, const char *name)
{
	uint64_t bias;
	/* ld.so has added where the program is. */
	const uint64_t at = find_in_program(t, DT_STRTAB, &bias);
	const uint64_t size = find_in_program(t, DT_STRSZ, &bias);
	char *names;
	bool found;

	if (!at || size == 0 || size > NAMES_MAX)
		return false;
	names = xmalloc(size);
	found = target_read(t, at, names, size) && memmem(names, size, name, strlen(name) + 1);
	free(names);
	return found;
}

static const char *base_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

/* Until 2.33 the file has the version in its name. */
static bool is_old_libc(const char *name)
{
	return strncmp(base_name(name), "libc-2.", 7) == 0;
}

static bool is_libc(const char *name)
{
	return strcmp(base_name(name), "libc.so.6") == 0 || is_old_libc(name);
}

bool target_has_thread_ids(const struct target *t)
{
	bool is_old = false, has_threads = false;

	for (uint32_t i = 0; i < t->maps.count; i++) {
		const char *name = t->maps.area[i].name;

		is_old |= is_old_libc(name);
		has_threads |= strncmp(base_name(name), "libpthread", 10) == 0;
	}
	return !is_old || has_threads;
}

static uint64_t search(const unsigned char *code, size_t size, const void *what, size_t length)
{
	const unsigned char *found = memmem(code, size, what, length);

	return found ? (uint64_t)(found - code) + 1 : 0;
}

static void search_area(struct target *t, const struct area *area)
{
	static const unsigned char call[] = { 0x0f, 0x05, 0xc3 };
	static const unsigned char restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	const size_t size = area->end - area->start;
	unsigned char *code;
	uint64_t at;

	/* Any file can have the name of libc. */
	if (size > CODE_MOST)
		return;
	code = xmalloc(size);
	if (target_read(t, area->start, code, size)) {
		at = search(code, size, call, sizeof(call));
		if (at && !t->gadget)
			t->gadget = area->start + at - 1;
		at = search(code, size, restorer, sizeof(restorer));
		if (at && !t->restorer)
			t->restorer = area->start + at - 1;
	}
	free(code);
}

int target_find_code(struct target *t, struct mu_error *err)
{
	bool any = false;
	uint64_t bias;

	t->gadget = t->restorer = 0;
	/* The address of ld.so's list. */
	t->debug = find_in_program(t, DT_DEBUG, &bias);
	if (!t->debug)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "it is statically linked, or not linked yet: nothing tells "
				    "where its malloc is");
	for (uint32_t i = 0; i < t->maps.count; i++) {
		const struct area *area = &t->maps.area[i];

		if (!(area->flags & AREA_CODE) || !is_libc(area->name))
			continue;
		any = true;
		search_area(t, area);
	}
	if (!any)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "its C library is not glibc");
	if (!t->gadget || !t->restorer)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "the code of its C library is not known");
	return 0;
}

/* Returns whether an object of ld.so's list names a symbol. *LEFT bytes may be read for that. */
static bool object_names(const struct target *t, uint64_t dynamic, const char *const *name,
			 uint64_t *left)
{
	const uint64_t most = DYNAMIC_MAX * sizeof(Elf64_Dyn);
	const uint64_t at = find_dynamic(t, dynamic, most, DT_STRTAB);
	const uint64_t size = find_dynamic(t, dynamic, most, DT_STRSZ);
	bool found = false;
	char *names;

	if (!at || size == 0 || size > NAMES_MAX || size > *left)
		return false;
	*left -= size;
	names = xmalloc(size);
	for (bool there = target_read(t, at, names, size); there && !found && *name; name++)
		found = memmem(names, size, *name, strlen(*name) + 1) != NULL;
	free(names);
	return found;
}

void target_find_contexts(struct target *t)
{
	static const char *const names[] = { "swapcontext", "setcontext", NULL };
	const struct area *area;
	struct link_map object;
	struct r_debug d;
	uint64_t next = 0, left = ALL_NAMES_MAX; /* the list may lead to its own beginning */

	if (target_read(t, t->debug, &d, sizeof(d)))
		next = (uint64_t)d.r_map;
	t->has_contexts = false;
	for (unsigned int i = 0; next && i < OBJECTS_MAX && !t->has_contexts; i++) {
		if (!target_read(t, next, &object, sizeof(object)))
			return;
		area = address_space_find(&t->maps, (uint64_t)object.l_ld);
		if (area && !is_libc(area->name))
			t->has_contexts = object_names(t, (uint64_t)object.l_ld, names,
						       &left);
		next = (uint64_t)object.l_next;
	}
}

bool target_is_linking(const struct target *t)
{
	struct r_debug d;

	return !target_read(t, t->debug, &d, sizeof(d)) || d.r_state != RT_CONSISTENT || !d.r_map;
}

/* ---- stopping ---------------------------------------------------------------------------- */

enum target_result target_stop(struct target *t, struct mu_error *err)
{
	/* The process is stopped until this one is done. Only root may. */
	setpriority(PRIO_PROCESS, 0, SOONEST);
	/* We may trace it, since we could open its memory: so it ends, a thread cannot be stopped
	 * now, or another attacher has just stopped it. */
	if (tracee_stop(&t->tracee, t->pid, NULL, err) < 0)
		return TARGET_BUSY;
	tracee_read_general(&t->tracee);
	return TARGET_OK;
}

/* Returns what a file says that is named from a directory, "" if there is none; free() it. */
static char *read_from(int directory, const char *name)
{
	size_t length = 0, room = 1024;
	char *text = xmalloc(room);
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text + length, room - length - 1)) > 0) {
		length += (size_t)got;
		if (length + 1 == room)
			text = xreallocarray(text, room *= 2, 1);
	}
	text[length] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

static char *read_mappings(pid_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	return read_from(AT_FDCWD, name);
}

/* Where kcmp is forbidden, as in containers, a child that has just been forked is taken for one
 * that shares the memory: it has the same mappings. */
static bool has_same_mappings(const struct target *t, pid_t child)
{
	char *mine = read_mappings(t->pid), *its = read_mappings(child);
	bool is_same = *mine && !strcmp(mine, its);

	free(mine);
	free(its);
	return is_same;
}

static bool is_sharer(const struct target *t, pid_t child)
{
	const long differs = syscall(SYS_kcmp, t->view, child, KCMP_VM, 0, 0);

	if (differs < 0 && (errno == EPERM || errno == ENOSYS))
		return has_same_mappings(t, child);
	return differs == 0;
}

static pid_t find_sharer(const struct target *t, const char *children)
{
	char *end;
	long child;

	for (; (child = strtol(children, &end, 10)) > 0; children = end) {
		if (is_sharer(t, (pid_t)child))
			return (pid_t)child;
	}
	return 0;
}

/* The process may be stopped: no stdio, and short paths. */
pid_t target_shares_memory(const struct target *t)
{
	char name[320];
	struct dirent *entry;
	pid_t found = 0;
	DIR *tasks;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)t->pid);
	tasks = opendir(name);
	while (tasks && !found && (entry = readdir(tasks))) {
		char *children;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/children", entry->d_name);
		children = read_from(dirfd(tasks), name);
		found = find_sharer(t, children);
		free(children);
	}
	if (tasks)
		closedir(tasks);
	return found;
}
