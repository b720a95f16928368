/* durable.c -- An arena that is a file next to the recording (--durable).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "recording/recording.h"

#define SUFFIX ".arena"

enum { LEFT_MAX = 9, GUARDS = 64 };

char *durable_name(const char *record, unsigned int number)
{
	return number == 0 ? xasprintf("%s" SUFFIX, record) :
			     xasprintf("%s" SUFFIX ".%u", record, number);
}

char *durable_record_of(const char *name)
{
	const size_t length = strlen(name), suffix = strlen(SUFFIX);

	if (length <= suffix || strcmp(name + length - suffix, SUFFIX) != 0)
		return NULL;
	return xstrndup(name, length - suffix);
}

/* ---- file systems ------------------------------------------------------------------------- */

/* Numbers of statfs(2). */
enum {
	FS_EXT = 0xef53,
	FS_TMPFS = 0x01021994,
	FS_XFS = 0x58465342,
	FS_OVERLAY = 0x794c7630,
	FS_NFS = 0x6969,
	FS_9P = 0x01021997,
	FS_FUSE = 0x65735546,
	FS_CEPH = 0x00c36400,
	FS_MSDOS = 0x4d44
};
#define FS_BTRFS 0x9123683eu
#define FS_CIFS 0xff534d42u
#define FS_SMB2 0xfe534d42u
#define FS_F2FS 0xf2f52010u
#define FS_ZFS 0x2fc12fc1u
#define FS_BCACHEFS 0xca451a4eu

static const char *const copy_on_write =
	"is copy-on-write: a full disk could kill the program when it writes to its mapping";
static const char *const networked =
	"is not on this machine: a broken connection could kill the program, or stop it for ever";

/* The reason why an arena on a file system can harm the program; NULL: it cannot. On those that
 * may be used a page that was populated has its block, and keeps it. */
static const char *file_system_hazard(const struct statfs *fs)
{
	switch ((uint32_t)fs->f_type) {
	case FS_EXT:
	case FS_TMPFS:
	case FS_XFS:
		return NULL;
	case FS_OVERLAY:
		/* Only the figures of its upper layer are shown: btrfs has no count of files. */
		return fs->f_files > 0 ? NULL : copy_on_write;
	case FS_BTRFS:
	case FS_F2FS:
	case FS_ZFS:
	case FS_BCACHEFS:
		return copy_on_write;
	case FS_NFS:
	case FS_9P:
	case FS_FUSE:
	case FS_CEPH:
	case FS_CIFS:
	case FS_SMB2:
		return networked;
	case FS_MSDOS:
		return "has no sparse files";
	default:
		return "is of a kind that was never tried";
	}
}

static int check_file_system(int fd, struct mu_error *err)
{
	struct statfs fs;
	const char *hazard;

	if (fstatfs(fd, &fs) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	hazard = file_system_hazard(&fs);
	if (!hazard)
		return 0;
	return mu_error_set(err, MU_ERROR_FORMAT, 0,
			    "its file system (number 0x%x) %s; use one of ext4, XFS and tmpfs",
			    (unsigned int)fs.f_type, hazard);
}

/* ---- the file ----------------------------------------------------------------------------- */

static int open_nameless(const char *name)
{
	char *directory = xstrdup(name), *slash = strrchr(directory, '/');
	int fd;

	if (slash)
		slash[slash == directory] = '\0';
	fd = open(slash ? directory : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	free(directory);
	return fd;
}

int durable_create(const char *name, bool *is_named, struct mu_error *err)
{
	int fd = open_nameless(name);

	*is_named = fd < 0;
	if (fd < 0)
		fd = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	if (check_file_system(fd, err) == 0) {
		if (durable_lock(fd))
			return fd;
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot lock it: %m");
	}
	if (*is_named)
		unlink(name);
	close(fd);
	return -1;
}

int durable_publish(int fd, const char *name, bool is_named, struct mu_error *err)
{
	char path[40];

	if (is_named)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	return 0;
}

/* posix_fallocate() would read and write each block where the file system cannot allocate. */
int durable_reserve(int fd, uint64_t bytes, struct mu_error *err)
{
	static const char zeros[MU_PAGE];

	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) == 0)
		return 0;
	for (uint64_t at = 0; at < bytes; at += sizeof(zeros))
		if (pwrite(fd, zeros, sizeof(zeros), (off_t)at) != (ssize_t)sizeof(zeros))
			return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	return 0;
}

bool durable_lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* ---- what a killed run has left ----------------------------------------------------------- */

static bool exists(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0;
}

/* Returns whether both names are free, and now those of the files. */
static bool move_run(const char *record, const char *to)
{
	unsigned int number = 0;
	char *name = durable_name(to, 0);
	bool is_free = !exists(to) && !exists(name);

	free(name);
	if (is_free && exists(record) && rename(record, to) < 0)
		return false;
	for (bool more = is_free; more; number++) {
		char *from = durable_name(record, number), *new = durable_name(to, number);

		more = rename(from, new) == 0;
		free(from);
		free(new);
	}
	return is_free;
}

/* Then the collector lives, and recordfile_check() tells the user so. */
static bool is_being_written(const char *record)
{
	int fd = open(record, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_locked = fd >= 0 && !durable_lock(fd) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return is_locked;
}

bool durable_make_way(const char *record)
{
	char *name = durable_name(record, 0);
	bool is_done = !exists(name) || is_being_written(record);

	free(name);
	for (int i = 1; !is_done && i <= LEFT_MAX; i++) {
		char *to = xasprintf("%s.%d", record, i);

		is_done = move_run(record, to);
		if (is_done)
			warn("%s: the last run was killed, or is not over: what it recorded is in "
			     "%s now (memusage --finish %s)", record, to, to);
		free(to);
	}
	return is_done;
}

/* ---- files that are cut short ------------------------------------------------------------- */

static struct {
	uintptr_t start[GUARDS], end[GUARDS];
	unsigned int count;
} guards;

static void on_bus_error(int signal, siginfo_t *info, void *context)
{
	const uintptr_t address = (uintptr_t)info->si_addr;
	const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	for (unsigned int i = 0; i < guards.count; i++) {
		void *page = (void *)(address & ~(uintptr_t)(MU_PAGE - 1));

		if (address >= guards.start[i] && address < guards.end[i] &&
		    mmap(page, MU_PAGE, PROT_READ | PROT_WRITE, how, -1, 0) != MAP_FAILED)
			return;
	}
	/* The instruction faults again, and then the signal has its usual effect. */
	(void)context;
	(void)!sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

void durable_guard(const void *base, uint64_t size)
{
	const struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	if (guards.count == GUARDS)
		return;
	guards.start[guards.count] = (uintptr_t)base;
	guards.end[guards.count] = (uintptr_t)base + size;
	__atomic_store_n(&guards.count, guards.count + 1, __ATOMIC_RELEASE);
	sigaction(SIGBUS, &action, NULL);
}
