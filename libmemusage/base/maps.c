/* maps.c -- the mappings of this process, and its files in /proc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

#define PART_BYTES 128		     /* read at once: it may be on a handler's stack */
#define USER_END (UINT64_C(1) << 63) /* the vsyscall page is above */

/* ---- files in /proc -------------------------------------------------------------------------- */

/* Files of a thread that has ended are there, but have no contents, and only root may open most of
 * them, as all of a process that is not dumpable. */
static bool may_first_thread_have_ended(void)
{
	long auxv = SYS4(SYS_openat, AT_FDCWD, "/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
	char byte;
	long got;

	if (sys_failed(auxv))
		return auxv == -ESRCH || auxv == -EACCES;
	got = SYS3(SYS_read, auxv, &byte, 1);
	SYS1(SYS_close, auxv);
	return got == 0;
}

long maps_open_own_file(const char *self, const char *thread, int flags)
{
	const bool has_ended = may_first_thread_have_ended();
	long fd = SYS4(SYS_openat, AT_FDCWD, has_ended ? thread : self, flags | O_CLOEXEC, 0);

	if (has_ended && sys_failed(fd))
		fd = SYS4(SYS_openat, AT_FDCWD, self, flags | O_CLOEXEC, 0);
	return fd;
}

/* ---- mappings ------------------------------------------------------------------------------- */

/* The field of a line that the next character belongs to:
 *
 *	7f1c8000-7f1d9000 r-xp 00026000 fe:01 1234      /usr/lib/libc.so.6
 */
enum { IN_START, IN_END, IN_FIELDS, IN_PATH };

static uint64_t append_hex_digit(uint64_t number, char c)
{
	return number * 16 + (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Returns the field of the next character. */
static int scan_character(struct maps_line *line, int field, char c)
{
	if (c == (field == IN_START ? '-' : ' ') && field < IN_FIELDS)
		return field + 1;
	if (field == IN_START)
		line->start = append_hex_digit(line->start, c);
	if (field == IN_END)
		line->end = append_hex_digit(line->end, c);
	/* No field before the path has these characters. */
	if (field < IN_FIELDS || (field == IN_FIELDS && c != '/' && c != '['))
		return field;
	if (line->length < line->room)
		line->path[line->length++] = c;
	return IN_PATH;
}

bool maps_for_each(char *path, uint64_t room, maps_visitor *visit, void *data)
{
	const struct maps_line empty = { .path = path, .room = room };
	struct maps_line line = empty;
	char part[PART_BYTES];
	int field = IN_START;
	bool is_last = false;
	long got = 0;

	if (sandbox.is_on)
		return false;
	long fd = maps_open_own_file("/proc/self/maps", "/proc/thread-self/maps", O_RDONLY);
	if (sys_failed(fd))
		return false;
	while (!is_last && (got = SYS3(SYS_read, fd, part, sizeof(part))) > 0) {
		for (long i = 0; i < got && !is_last; i++) {
			if (part[i] != '\n') {
				field = scan_character(&line, field, part[i]);
				continue;
			}
			is_last = line.start < USER_END && visit(&line, data);
			line = empty;
			field = IN_START;
		}
	}
	SYS1(SYS_close, fd);
	return got >= 0;
}

/* ---- the file at an address --------------------------------------------------------------- */

struct path_search {
	uint64_t address;
	uint64_t length; /* of the path that was found */
};

static bool find_mapping(const struct maps_line *line, void *data)
{
	struct path_search *search = data;

	if (search->address < line->start || search->address >= line->end)
		return false;
	search->length = line->length && line->path[0] == '/' ? line->length : 0;
	return true;
}

/* Returns false if the text is not the file's name: the file was deleted, or the kernel has escaped
 * some byte of the name. */
static bool is_existing_path(const char *path, uint64_t length)
{
	static const char deleted[] = " (deleted)";
	const uint64_t n = sizeof(deleted) - 1;

	return !memchr(path, '\\', length) &&
	       (length < n || memcmp(path + length - n, deleted, n) != 0);
}

uint64_t maps_path_at(uint64_t address, bool as_it_is, char *path, uint64_t size)
{
	struct path_search search = { .address = address };

	/* A path of size - 1 bytes may be cut. */
	if (!maps_for_each(path, size - 1, find_mapping, &search) || search.length == size - 1 ||
	    (!as_it_is && !is_existing_path(path, search.length)))
		search.length = 0;
	path[search.length] = '\0';
	return search.length;
}
