/* refusal.c -- Why memusage cannot attach to a process, before anything in it is changed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/refusal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memusage/common/process.h"
#include "memusage/trace/tracee_refusal.h"

enum { MACHINE_BYTES = 20 };

static enum target_result refuse(struct mu_error *err, const char *why)
{
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s", why);
	return TARGET_REFUSED;
}

static enum target_result is_busy(struct mu_error *err, const char *why)
{
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s", why);
	return TARGET_BUSY;
}

/* ---- permission -------------------------------------------------------------------------- */

/* /proc/PID of a process that is not dumpable belongs to root. */
static uid_t read_user(pid_t pid)
{
	return (uid_t)process_status_value(pid, "Uid:", 10, geteuid());
}

int refusal_explain_denied(pid_t pid, struct mu_error *err)
{
	const bool is_denied = errno == EACCES || errno == EPERM;
	uid_t user;
	int scope;

	if (!is_denied)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	user = read_user(pid);
	scope = tracee_refusal_scope();
	if (user != geteuid())
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "it belongs to another user (%u): only that user and root can "
				    "attach to it", (unsigned int)user);
	if (scope == 3)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "kernel.yama.ptrace_scope is 3, so nothing can attach to a "
				    "process before the next boot");
	if (scope > 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "kernel.yama.ptrace_scope is %d: set it to 0 (sysctl -w "
				    "kernel.yama.ptrace_scope=0), or start it with memusage "
				    "instead", scope);
	return mu_error_set(err, MU_ERROR_SYSTEM, 0,
			    "the kernel does not let us write to it (ptrace): it has changed its "
			    "user, is not dumpable (prctl(2)), or a container forbids that "
			    "(--cap-add=SYS_PTRACE); start it with memusage instead");
}

/* ---- what it is -------------------------------------------------------------------------- */

static enum target_result check_machine(const struct target *t, struct mu_error *err)
{
	unsigned char head[MACHINE_BYTES] = "";
	char path[32];
	int fd;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)t->view);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? 0 : read(fd, head, sizeof(head));
	if (fd >= 0)
		close(fd);
	if (got == MACHINE_BYTES && head[EI_CLASS] != ELFCLASS64)
		return refuse(err, "it is a 32-bit program, and the recorder is a 64-bit library");
	if (got == MACHINE_BYTES && (head[18] | head[19] << 8) != EM_X86_64)
		return refuse(err, "it was built for another processor than the recorder");
	return TARGET_OK;
}

static enum target_result check_tracer(const struct target *t, struct mu_error *err)
{
	const uint64_t tracer = process_status_value(t->view, "TracerPid:", 10, 0);
	char name[17];

	if (!tracer)
		return TARGET_OK;
	process_name((pid_t)tracer, name);
	if (strcmp(name, "memusage") == 0)
		return is_busy(err, "another memusage attaches to it");
	/* It was memusage, perhaps: a process that is gone has no name. */
	if (process_status_value(t->view, "TracerPid:", 10, 0) != tracer)
		return is_busy(err, "another process has just traced it");
	mu_error_set(err, MU_ERROR_SYSTEM, 0,
		     "process %d traces it already (a debugger, or strace): end that first",
		     (int)tracer);
	return TARGET_REFUSED;
}

enum target_result refusal_check_reading(const struct target *t, struct mu_error *err)
{
	const enum target_result result = check_machine(t, err);

	return result == TARGET_OK ? check_tracer(t, err) : result;
}

static enum target_result check_state(const struct target *t, struct mu_error *err)
{
	const uint64_t seccomp = process_status_value(t->view, "Seccomp:", 10, 0);
	const char *features;
	char text[8192];

	if (seccomp == SECCOMP_MODE_STRICT)
		return refuse(err, "it is in seccomp's strict mode, which would kill it for a "
				   "system call of the recorder: start it under memusage");
	process_read_file(t->view, "status", text, sizeof(text));
	features = strstr(text, "\nx86_Thread_features:");
	if (features && strstr(features, "shstk"))
		return refuse(err, "a shadow stack protects its return addresses (CET)");
	return TARGET_OK;
}

enum target_result refusal_check_mappings(const struct target *t, struct mu_error *err)
{
	static const struct {
		const char *name, *why;
	} known[] = {
		{ "/memfd:memusage", "it is recorded already: ask with memusage --pid" },
		{ "/libmemusage", "it runs under memusage: ask with memusage --pid" },
		{ "/libasan.so", "a sanitizer's malloc is in it" },
		{ "/libtsan.so", "a sanitizer's malloc is in it" },
		{ "/liblsan.so", "a sanitizer's malloc is in it" },
		{ "/ld-musl", "its C library is musl, not glibc" },
		{ "/libheaptrack", "heaptrack is in it" },
		{ "/vgpreload", "it runs in Valgrind" },
	};

	for (uint32_t i = 0; i < t->maps.count; i++) {
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			if (strstr(t->maps.area[i].name, known[k].name))
				return refuse(err, known[k].why);
		}
	}
	return TARGET_OK;
}

/* A sanitizer may be part of the program: no name of a library tells. Seen: clang 14, and libasan
 * of gcc 12, name the hook; libtsan of gcc 12, and each of gcc 14 and 16, only the symbolizer.
 * The sanitizer of clang for undefined behaviour has that as well, but leaves malloc alone. */
static bool contains_sanitizer(const struct target *t)
{
	return target_program_names(t, "__sanitizer_malloc_hook") ||
	       (target_program_names(t, "__sanitizer_symbolize_code") &&
		target_program_names(t, "__libc_memalign"));
}

enum target_result refusal_check(struct target *t, struct mu_error *err)
{
	enum target_result result = refusal_check_reading(t, err);

	if (result == TARGET_OK)
		result = check_state(t, err);
	if (result != TARGET_OK)
		return result;
	if (target_read_maps(t, err) < 0)
		return TARGET_REFUSED;
	result = refusal_check_mappings(t, err);
	if (result != TARGET_OK)
		return result;
	if (target_find_code(t, err) < 0)
		return TARGET_REFUSED;
	if (contains_sanitizer(t))
		return refuse(err, "a sanitizer's malloc is in it");
	return target_shares_memory(t) ? is_busy(err, "a child of vfork() has its memory") :
					 TARGET_OK;
}

/* ---- its threads ------------------------------------------------------------------------- */

/* The remains of an attacher that was killed are ours, too. */
static bool is_spare(const uint64_t *word)
{
	bool is_zero = true, is_ours = false;

	for (size_t i = 0; i < MU_ATTACH_TLS_BYTES / 8; i++) {
		is_zero &= word[i] == 0;
		is_ours |= word[i] >> 48 == MU_ATTACH_MARK;
	}
	return is_zero || is_ours;
}

/* Reads only the fields of the structure at the thread pointer that no glibc has changed. */
static enum target_result check_thread(const struct target *t, const struct tracee_thread *thread,
				       struct mu_error *err)
{
	const uint64_t base = tracee_base(thread);
	uint64_t word[MU_ATTACH_TID / 8 + 1]; /* the beginning of the structure */
	uint32_t tid;

	if (!base || !target_read(t, base, word, sizeof(word)) || word[0] != base ||
	    word[2] != base)
		return refuse(err, "the thread structure of its C library is not glibc's");
	memcpy(&tid, (const char *)word + MU_ATTACH_TID, sizeof(tid));
	if (tid == 0 && t->tracee.count == 1 && !target_has_thread_ids(t))
		tid = (uint32_t)thread->tid;
	if (tid == 0 || tid == UINT32_MAX)
		return is_busy(err, "a thread is just beginning or ending");
	if (tid != (uint32_t)thread->tid && tid != (uint32_t)process_own_pid(thread->tid))
		return refuse(err, "the thread structure of its C library is not known");
	/* That may be the recorder of another attacher, which has just come: the next look
	 * tells. */
	return is_spare(word + MU_ATTACH_TLS / 8) ? TARGET_OK :
				is_busy(err, "something else uses the spare part of its "
					     "threads' structures");
}

enum target_result refusal_check_threads(const struct target *t, struct mu_error *err)
{
	enum target_result result = TARGET_OK;

	if (target_is_linking(t))
		return is_busy(err, "a library is being loaded or unloaded");
	if (target_shares_memory(t))
		return is_busy(err, "a child of vfork() has its memory");
	for (uint32_t i = 0; i < t->tracee.count && result == TARGET_OK; i++)
		result = check_thread(t, &t->tracee.thread[i], err);
	return result;
}

/* VmFlags of /proc/PID/smaps has "lo" for a locked mapping. */
bool refusal_locks_memory(const struct target *t, uint64_t address)
{
	char path[32], *line = NULL;
	unsigned long long start, end;
	bool is_here = false, is_locked = false;
	size_t size = 0;
	FILE *smaps;

	if (process_status_value(t->view, "VmLck:", 10, 0) == 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)t->view);
	smaps = fopen(path, "re");
	while (smaps && getline(&line, &size, smaps) > 0) {
		if (sscanf(line, "%llx-%llx ", &start, &end) == 2)
			is_here = address >= start && address < end;
		else if (is_here && strncmp(line, "VmFlags:", 8) == 0)
			is_locked |= strstr(line, " lo") != NULL;
	}
	free(line);
	if (smaps)
		fclose(smaps);
	return is_locked;
}
