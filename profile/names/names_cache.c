/* names_cache.c -- Keeps names that were looked up, in a directory of the user.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/names/names_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/file.h"
#include "profile/base/number.h"

enum {
	NAME_BYTES = 2 * NAMES_BUILD_ID_MAX + 32,
	USED_SECONDS = 60,		/* the time of use is this old at most */
	ABANDONED_SECONDS = 3600,	/* a file that is not complete by then never will be */
	SETTLED_MS = 100,		/* far above the kernel's tick, which file times have */
	FILES_MAX = 100000
};

#define SUFFIX ".names"
#define TEMPORARY ".tmp-"

/* ---- keys ---------------------------------------------------------------------------------- */

void names_identity_read(struct names_identity *identity, int fd)
{
	struct stat st;

	*identity = (struct names_identity){ .device = 0 };
	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	identity->device = st.st_dev;
	identity->inode = st.st_ino;
	identity->size = (uint64_t)st.st_size;
	identity->modified_ns = timespec_to_ns(st.st_mtim);
	identity->changed_ns = timespec_to_ns(st.st_ctim);
}

/* A second write within one tick of the kernel's clock would leave the time as it is. */
static bool is_settled_file(const struct names_identity *identity, uint64_t now_ns)
{
	const uint64_t margin = UINT64_C(1000000) * SETTLED_MS;

	return identity->modified_ns + margin < now_ns && identity->changed_ns + margin < now_ns;
}

static uint64_t hash_key(const struct names_key *key)
{
	const unsigned char *byte = (const unsigned char *)key;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(*key); i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void print_file_name(char name[NAME_BYTES], const struct names_key *key)
{
	int length = 0;

	for (uint32_t i = 0; i < key->build_id_length && i < NAMES_BUILD_ID_MAX; i++)
		length += sprintf(name + length, "%02x", key->build_id[i]);
	sprintf(name + length, "%s%016llx" SUFFIX, length ? "-" : "",
		(unsigned long long)hash_key(key));
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Says when the file was used last, for prune_directory(). */
static void touch_used_file(int fd, const struct stat *st)
{
	if (time(NULL) - st->st_mtime > USED_SECONDS)
		futimens(fd, NULL);
}

static void *read_open_file(int fd, size_t *size)
{
	struct stat st;
	char *data;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 022) != 0 || st.st_size <= 0 || st.st_size > NAMES_FILE_MAX)
		return NULL;
	*size = (size_t)st.st_size;
	data = xmalloc(*size);
	if (pread(fd, data, *size, 0) != st.st_size) {
		free(data);
		return NULL;
	}
	touch_used_file(fd, &st);
	return data;
}

/* Returns the bytes of the file of a key, with its tables in F; NULL if there is none. */
static void *load_names_file(const struct names_cache *cache, const struct names_key *key,
			     struct names_file *f)
{
	char name[NAME_BYTES];
	void *data = NULL;
	size_t size = 0;
	int fd;

	*f = (struct names_file){ .entry_count = 0 };
	print_file_name(name, key);
	fd = openat(cache->directory, name,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0) {
		data = read_open_file(fd, &size);
		close(fd);
	}
	if (data && names_file_is_whole(data, size) && names_file_parse(f, data, size, key))
		return data;
	free(data);
	return NULL;
}

void names_cache_open(struct names_answers *a, const struct names_cache *cache,
		      const struct names_key *key)
{
	struct timespec now;

	*a = (struct names_answers){ .cache = cache, .key = *key };
	snprintf(a->key.version, sizeof(a->key.version), "%s", cache->version);
	/* The bytes behind the text must be zero, and snprintf() is free to write there. */
	memset(a->key.version + strlen(a->key.version), 0,
	       sizeof(a->key.version) - strlen(a->key.version));
	clock_gettime(CLOCK_REALTIME, &now);
	a->is_settled = is_settled_file(&key->module, timespec_to_ns(now)) &&
			is_settled_file(&key->debug, timespec_to_ns(now));
	a->data = load_names_file(cache, &a->key, &a->known);
}

/* ---- writing ------------------------------------------------------------------------------- */

/* SIGXFSZ, of a write beyond the limit of file sizes, would end the process. */
static bool write_without_signal(int fd, const void *data, size_t size)
{
	const struct timespec at_once = { .tv_sec = 0 };
	sigset_t limit, before, pending;
	bool was_pending, is_written;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	sigpending(&pending);
	was_pending = sigismember(&pending, SIGXFSZ) == 1;
	if (sigprocmask(SIG_BLOCK, &limit, &before) < 0)
		return false;
	is_written = file_write(fd, data, size);
	if (!is_written && !was_pending)
		sigtimedwait(&limit, NULL, &at_once);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return is_written;
}

static bool replace_names_file(const struct names_cache *cache, const struct names_key *key,
			       const void *data, size_t size)
{
	char name[NAME_BYTES], temporary[64];
	struct timespec now;
	bool is_good;
	int fd;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(temporary, sizeof(temporary), TEMPORARY "%d-%llx", (int)getpid(),
		 (unsigned long long)timespec_to_ns(now));
	fd = openat(cache->directory, temporary,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	print_file_name(name, key);
	is_good = write_without_signal(fd, data, size);
	is_good = close(fd) == 0 && is_good;
	is_good = is_good &&
		  renameat(cache->directory, temporary, cache->directory, name) == 0;
	if (!is_good)
		unlinkat(cache->directory, temporary, 0);
	return is_good;
}

/* ---- bounding ------------------------------------------------------------------------------ */

struct kept_file {
	char name[NAME_BYTES];
	uint64_t bytes;
	uint64_t used_ns;
};

static int compare_kept_files(const void *a, const void *b)
{
	const struct kept_file *x = a, *y = b;

	return (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns);
}

/* Other names are others' files, which stay. */
static bool is_own_name(const char *name)
{
	size_t digits = strspn(name, "0123456789abcdef-");

	return digits >= 16 && strlen(name) < NAME_BYTES && strcmp(name + digits, SUFFIX) == 0;
}

static void remove_if_abandoned(int directory, const char *name, const struct stat *st)
{
	if (strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0 && S_ISREG(st->st_mode) &&
	    time(NULL) - st->st_mtime > ABANDONED_SECONDS)
		unlinkat(directory, name, 0);
}

/* Lists the files of the cache. Returns how many; *FILE is to be freed. */
static uint32_t list_kept_files(DIR *dir, struct kept_file **file, uint64_t *bytes)
{
	uint32_t count = 0, room = 0;
	const struct dirent *entry;
	struct stat st;

	*bytes = 0;
	while (count < FILES_MAX && (entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		remove_if_abandoned(dirfd(dir), entry->d_name, &st);
		if (!is_own_name(entry->d_name) || !S_ISREG(st.st_mode))
			continue;
		array_reserve(file, &room, (size_t)count + 1, sizeof(**file));
		strcpy((*file)[count].name, entry->d_name);
		(*file)[count].bytes = (uint64_t)st.st_blocks * 512;
		(*file)[count].used_ns = timespec_to_ns(st.st_mtim);
		*bytes += (*file)[count++].bytes;
	}
	return count;
}

/* Removes files down to three quarters, so that not every run has to. */
static void prune_directory(const struct names_cache *cache)
{
	const uint64_t limit = cache->bytes ? cache->bytes : NAMES_CACHE_BYTES;
	int fd = openat(cache->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct kept_file *file = NULL;
	uint64_t bytes;
	uint32_t count;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	count = list_kept_files(dir, &file, &bytes);
	if (bytes > limit) {
		qsort(file, count, sizeof(*file), compare_kept_files);
		for (uint32_t i = 0; i < count && bytes > limit / 4 * 3; i++) {
			unlinkat(dirfd(dir), file[i].name, 0);
			bytes -= file[i].bytes;
		}
	}
	free(file);
	closedir(dir);
}

void names_cache_save(struct names_answers *a)
{
	struct names_file newest;
	void *before, *data;
	size_t size;

	if (!a->cache || !a->is_settled || a->draft.entry_count == 0)
		return;
	/* Another process may have added to it meanwhile. */
	before = load_names_file(a->cache, &a->key, &newest);
	names_draft_merge(&a->draft, &newest);
	free(before);
	data = names_draft_bytes(&a->draft, &a->key, &size);
	if (data && replace_names_file(a->cache, &a->key, data, size))
		prune_directory(a->cache);
	free(data);
}

void names_cache_close(struct names_answers *a)
{
	names_draft_free(&a->draft);
	free(a->data);
	*a = (struct names_answers){ .cache = NULL };
}
