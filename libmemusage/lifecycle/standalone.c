/* standalone.c -- recording without a collector.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/standalone.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/environment.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/base/trace.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/lifecycle/decimal.h"
#include "libmemusage/lifecycle/image.h"
#include "recording/env.h"

#define SLOTS_OFFSET (2 * (uint64_t)MU_PAGE)
#define SLOT_BYTES (UINT64_C(8) << 30)
#define SLOT_LEAST (UINT64_C(4) << 20)
#define SAMPLE_US 4000
#define PATH_BYTES 512
#define STDERR_COPY 1000 /* lowest descriptor for our copy of stderr */

static struct {
	char directory[PATH_BYTES];
	char program[PATH_BYTES]; /* the path of memusage; "": unknown */
	char file[PATH_BYTES];	  /* of the present image */
	char child[PATH_BYTES];	  /* of a child, until it is removed at once */
	struct slot unnamed;	  /* of a child, from its fork to its first event */
	struct stat program_identity;
	char output_entry[PATH_BYTES + sizeof(MU_ENV_OUTPUT)]; /* for the environment of program */
	struct mu_config config;
	int stderr_copy; /* a descriptor, 0: none */
	struct stat stderr_identity;
} standalone;

static bool join_path(char *to, const char *a, const char *b, const char *c)
{
	if (strlen(a) + strlen(b) + strlen(c) >= PATH_BYTES)
		return false;
	strcpy(to, a);
	strcat(to, b);
	strcat(to, c);
	return true;
}

/* A directory in /tmp is used only if no other user can write to it: any user may have made it. */
static bool use_private_tmp(void)
{
	char number[DECIMAL_BYTES];
	struct stat status;
	uint32_t uid = (uint32_t)SYS1(SYS_getuid, 0);

	if (!join_path(standalone.directory, "/tmp/memusage-", format_decimal(number, uid), ""))
		return false;
	SYS3(SYS_mkdirat, AT_FDCWD, standalone.directory, 0700);
	long failed = SYS4(SYS_newfstatat, AT_FDCWD, standalone.directory, &status,
			   AT_SYMLINK_NOFOLLOW);
	return !sys_failed(failed) && S_ISDIR(status.st_mode) && status.st_uid == uid &&
	       !(status.st_mode & 077);
}

/* After `su` the variable names a directory of the user before, who could put another recording in
 * the place of ours. */
static const char *own_runtime_directory(void)
{
	const char *directory = environment_value("XDG_RUNTIME_DIR");
	struct stat status;

	if (!directory || !*directory ||
	    sys_failed(SYS4(SYS_newfstatat, AT_FDCWD, directory, &status, 0)) ||
	    status.st_uid != (uint32_t)SYS1(SYS_geteuid, 0))
		return NULL;
	return directory;
}

static int create_arena_file(char *path)
{
	char pid[DECIMAL_BYTES], number[DECIMAL_BYTES];

	for (uint64_t n = 0; n < 1000; n++) {
		char name[64] = "/memusage-";
		strcat(strcat(name, format_decimal(pid, sys_getpid())), "-");
		strcat(name, format_decimal(number, n));
		if (!join_path(path, standalone.directory, name, ".mur"))
			return -1;
		long fd = SYS4(SYS_openat, AT_FDCWD, path,
			       O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd != -EEXIST)
			return (int)fd;
	}
	return -1;
}

/* Going beyond RLIMIT_FSIZE would kill the program with SIGXFSZ. */
static uint64_t limited_slot_bytes(void)
{
	struct rlimit limit;

	if (sys_failed(SYS4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &limit)) ||
	    limit.rlim_cur >= SLOTS_OFFSET + SLOT_BYTES)
		return SLOT_BYTES;
	return limit.rlim_cur < SLOTS_OFFSET ? 0
					     : (limit.rlim_cur - SLOTS_OFFSET) & -(uint64_t)MU_PAGE;
}

static bool fill_segment_header(struct slot *slot)
{
	struct mu_segment *segment = slot->segment;
	struct mu_slot *entry = (struct mu_slot *)((uint8_t *)segment + MU_PAGE);

	if (sys_failed(SYS3(SYS_madvise, segment, SLOTS_OFFSET, MADV_WILLNEED)))
		return false;
	segment->version = MU_VERSION;
	segment->header_size = sizeof(*segment);
	segment->kind = MU_KIND_FILE;
	segment->slot_count = 1;
	segment->size = SLOTS_OFFSET + limited_slot_bytes();
	segment->slot_table = MU_PAGE;
	segment->slots = SLOTS_OFFSET;
	segment->slot_size = limited_slot_bytes();
	segment->start_mono_ns = clock_ns(CLOCK_MONOTONIC);
	segment->start_real_ns = clock_ns(CLOCK_REALTIME);
	segment->config = standalone.config;
	entry->state = MU_SLOT_CLAIMED;
	entry->claimed_by = sys_getpid();
	entry->claimed_ns = slot->claimed_ns = clock_ns(CLOCK_BOOTTIME);
	segment->magic = MU_SEGMENT_MAGIC;
	slot->segment_mapped = 0; /* it has no other slot */
	return true;
}

static bool make_file_arena(char *path, struct slot *slot)
{
	uint64_t size = limited_slot_bytes();
	int fd = size < SLOT_LEAST ? -1 : create_arena_file(path);
	bool ok;

	if (fd < 0)
		return false;
	slot->index = 0;
	ok = !sys_failed(SYS2(SYS_ftruncate, fd, SLOTS_OFFSET + size)) &&
	     slot_map(fd, SLOTS_OFFSET + size, SLOTS_OFFSET, size, slot) &&
	     fill_segment_header(slot);
	SYS1(SYS_close, fd);
	if (!ok)
		SYS3(SYS_unlinkat, AT_FDCWD, path, 0);
	return ok;
}

/* As glibc's memusage: the filter is the last component of argv[0]. */
static bool is_program_wanted(const char *filter)
{
	return !filter || !strcmp(filter, program_invocation_short_name);
}

static void read_environment_config(void)
{
	const char *output = environment_value(MU_ENV_OUTPUT);

	standalone.config.sample_interval_us = SAMPLE_US;
	standalone.config.log_limit = SLOT_BYTES;
	if (environment_value(MU_ENV_TRACE_MMAP))
		standalone.config.flags |= MU_CFG_MMAP;
	if (environment_value(MU_ENV_NO_TIMER))
		standalone.config.flags |= MU_CFG_NO_TIMER;
	if (environment_value(MU_ENV_PAUSED))
		standalone.config.flags |= MU_CFG_START_PAUSED;
	if (!output || !*output || strlen(output) >= PATH_BYTES)
		return;
	standalone.config.flags |= MU_CFG_LOG;
	strcat(strcpy(standalone.output_entry, MU_ENV_OUTPUT "="), output);
}

/* The program may close stderr before it exits, as all coreutils do. The copy has a high number,
 * but below the limit. */
static void duplicate_stderr(void)
{
	long fd = SYS3(SYS_fcntl, 2, F_DUPFD_CLOEXEC, STDERR_COPY);

	for (long lowest = STDERR_COPY / 2; fd == -EINVAL && lowest > 2; lowest /= 2)
		fd = SYS3(SYS_fcntl, 2, F_DUPFD_CLOEXEC, lowest);
	if (sys_failed(fd) || sys_failed(SYS2(SYS_fstat, fd, &standalone.stderr_identity)))
		return;
	standalone.stderr_copy = (int)fd;
}

static bool is_same_file(long fd, const struct stat *before)
{
	struct stat status;

	return !sys_failed(SYS2(SYS_fstat, fd, &status)) && status.st_dev == before->st_dev &&
	       status.st_ino == before->st_ino;
}

static int choose_stderr(void)
{
	int fd = standalone.stderr_copy;

	return fd && is_same_file(fd, &standalone.stderr_identity) ? fd : 2;
}

/* Stores NAME as an absolute path, by the present directory. */
static bool make_path_absolute(char *path, const char *name)
{
	char here[PATH_BYTES];

	if (name[0] == '/')
		return join_path(path, name, "", "");
	return !sys_failed(SYS2(SYS_getcwd, here, sizeof(here))) && here[0] == '/' &&
	       join_path(path, here, "/", name);
}

/* PREFIX/lib/memusage/libmemusage.so -> PREFIX/bin/memusage. This is done when the program begins:
 * a relative name of LD_PRELOAD leads elsewhere after the program has changed its directory,
 * perhaps to a file that another user wants to be executed. So does any name after chroot(). */
static void find_finish_program(void)
{
	const struct link_map *ours = lookup_self();
	char *slash;

	if (!ours || !make_path_absolute(standalone.program, ours->l_name))
		goto unknown;
	for (int up = 0; up < 3; up++) {
		slash = strrchr(standalone.program, '/');
		if (!slash)
			goto unknown;
		*slash = '\0';
	}
	if (strlen(standalone.program) + sizeof("/bin/memusage") > PATH_BYTES)
		goto unknown;
	strcat(standalone.program, "/bin/memusage");
	if (!sys_failed(SYS4(SYS_newfstatat, AT_FDCWD, standalone.program,
			     &standalone.program_identity, 0)))
		return;
unknown:
	standalone.program[0] = '\0';
}

void standalone_refuse(const char *why)
{
	char line[128] = "memusage: nothing is recorded: ";
	size_t length = strlen(line);

	for (; *why && length < sizeof(line) - 1; why++)
		line[length++] = *why;
	line[length++] = '\n';
	SYS3(SYS_write, 2, line, length);
}

bool standalone_begin(struct slot *slot)
{
	const char *chosen = environment_value(MU_ENV_DIR);

	if (!is_program_wanted(environment_value(MU_ENV_PROG_NAME)))
		return false;
	if (!chosen || !*chosen)
		chosen = own_runtime_directory();
	if (chosen && *chosen ? !join_path(standalone.directory, chosen, "", "")
			      : !use_private_tmp())
		return false;
	read_environment_config();
	if (!make_file_arena(standalone.file, slot))
		return false;
	find_finish_program();
	duplicate_stderr();
	return true;
}

/* Without a name until it has an event: a child that only execs or ends leaves nothing. */
bool standalone_fork(struct slot *slot)
{
	if (!make_file_arena(standalone.child, slot))
		return false;
	SYS3(SYS_unlinkat, AT_FDCWD, standalone.child, 0);
	standalone.unnamed = *slot;
	return true;
}

bool standalone_announce(void)
{
	uint64_t used = arena_filled();
	struct slot named;

	if (!make_file_arena(standalone.file, &named))
		return false;
	if (used > named.capacity ||
	    !arena_populate(named.base, (used + MU_PAGE - 1) & -(uint64_t)MU_PAGE)) {
		SYS3(SYS_unlinkat, AT_FDCWD, standalone.file, 0);
		slot_unmap(&named);
		return false;
	}
	memcpy(named.base, rec.base, used);
	((struct mu_image *)named.base)->used = used;
	image_inherit(&named);
	slot_unmap(&standalone.unnamed);
	return true;
}

/* Executes the file that was memusage when the program began, or nothing. */
static void execute_if_same(const char *path, char *const argv[], char *const envp[])
{
	long fd = SYS4(SYS_openat, AT_FDCWD, path, O_PATH | O_CLOEXEC, 0);

	if (!sys_failed(fd) && is_same_file(fd, &standalone.program_identity))
		SYS5(SYS_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
}

/* execve() gives a process the exit signal SIGCHLD, which the program must not get: so this process
 * does not execute memusage, but its child does, and it ends without a signal after its child. It
 * blocks all signals: else the program's handlers would run in it, in the program's memory. */
__attribute__((noreturn)) static void run_as_intermediate(const char *path, char *const argv[],
							  char *const envp[], int error_fd)
{
	const uint64_t all = ~UINT64_C(0);
	uint64_t old = 0;
	int status;

	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof(all));
	long child = sys_call(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, 0);
	if (!child) {
		SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &old, 0, sizeof(old));
		SYS3(SYS_dup3, error_fd, 2, 0);
		execute_if_same(path, argv, envp);
	}
	while (child > 0 && SYS4(SYS_wait4, child, &status, __WALL, 0) == -EINTR)
		;
	for (;;)
		SYS1(SYS_exit_group, 127);
}

/* The child runs in our memory until it execs (CLONE_VFORK), and ends without a signal to
 * the program. It touches nothing but its arguments. */
static void run_program_and_wait(const char *path, char *const argv[], char *const envp[],
				 int error_fd)
{
	int status;
	long child = sys_call(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, 0);

	if (!child)
		run_as_intermediate(path, argv, envp, error_fd);
	while (!sys_failed(child) && SYS4(SYS_wait4, child, &status, __WCLONE, 0) == -EINTR)
		;
}

void standalone_end(void)
{
	char *argv[] = { standalone.program, (char *)"--finish", standalone.file, NULL };
	char *envp[] = { standalone.output_entry[0] ? standalone.output_entry : NULL, NULL };

	if (!rec.image || rec.pid != sys_getpid() || rec.state != STATE_ON)
		return;
	if (standalone.program[0] != '\0')
		run_program_and_wait(standalone.program, argv, envp, choose_stderr());
	else
		trace("no memusage program beside the library: run memusage --finish by hand");
}
