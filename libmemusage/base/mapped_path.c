/* mapped_path.c -- the file that is mapped at an address.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/mapped_path.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

#define PART_BYTES 128 /* read at once: a signal handler's stack may be all there is */

/* The field of a line that the next character belongs to:
 *
 *	7f1c8000-7f1d9000 r-xp 00026000 fe:01 1234      /usr/lib/libc.so.6
 */
enum { IN_START, IN_END, IN_FIELDS, IN_PATH };

struct maps_scan {
	uint64_t address;
	uint64_t start, end;
	int where;
	bool is_other;	 /* the line is not that of the address */
	uint64_t length; /* of the path so far */
	char *path;
	uint64_t size;
};

static uint64_t hex_digit_value(char c)
{
	return (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Returns whether the line of the address has ended. */
static bool scan_character(struct maps_scan *s, char c)
{
	if (c == '\n') {
		if (s->where >= IN_FIELDS && !s->is_other)
			return true;
		*s = (struct maps_scan){ .address = s->address, .path = s->path, .size = s->size };
		return false;
	}
	switch (s->where) {
	case IN_START:
		if (c == '-')
			s->where = IN_END;
		else
			s->start = s->start * 16 + hex_digit_value(c);
		break;
	case IN_END:
		if (c == ' ') {
			s->where = IN_FIELDS;
			s->is_other = s->address < s->start || s->address >= s->end;
		} else {
			s->end = s->end * 16 + hex_digit_value(c);
		}
		break;
	case IN_FIELDS:
		/* No field before the path has a slash. */
		if (c != '/')
			break;
		s->where = IN_PATH;
		__attribute__((fallthrough));
	default:
		if (!s->is_other && s->length < s->size - 1)
			s->path[s->length++] = c;
	}
	return false;
}

/* Returns false if the text is not the file's name: the file was deleted, or the kernel has escaped
 * some byte of the name. */
static bool is_existing_path(const struct maps_scan *s)
{
	static const char deleted[] = " (deleted)";
	const uint64_t n = sizeof(deleted) - 1;

	return !memchr(s->path, '\\', s->length) &&
	       (s->length < n || memcmp(s->path + s->length - n, deleted, n) != 0);
}

uint64_t mapped_path(uint64_t address, bool as_it_is, char *path, uint64_t size)
{
	struct maps_scan s = { .address = address, .path = path, .size = size };
	char part[PART_BYTES];
	bool found = false;
	long got;

	path[0] = '\0';
	if (sandbox_is_on)
		return 0;
	long fd = SYS4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return 0;
	while (!found && (got = SYS3(SYS_read, fd, part, sizeof(part))) > 0)
		for (long i = 0; i < got && !found; i++)
			found = scan_character(&s, part[i]);
	SYS1(SYS_close, fd);
	if (!found || !s.length || s.length == size - 1 || (!as_it_is && !is_existing_path(&s)))
		return 0;
	path[s.length] = '\0';
	return s.length;
}
