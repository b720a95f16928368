/* maps.c -- the mappings of this process, from /proc/self/maps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/maps.h"

#include <fcntl.h>
#include <string.h>

#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"

#define USER_END (UINT64_C(1) << 63) /* the vsyscall page is above */
#define TAIL 8u

/* A line; only its beginning and its end matter:
 *
 *	7ffd3c1e0000-7ffd3c201000 rw-p 00000000 00:00 0         [stack]
 */
struct maps_line {
	uint64_t number[2]; /* start, end */
	unsigned int which; /* index of the number being read; 2: both were */
	char tail[TAIL];    /* its last characters */
};

static void scan_character(struct maps_line *line, char c)
{
	if (line->which < 2 && (c == '-' || c == ' '))
		line->which++;
	else if (line->which < 2)
		line->number[line->which] = line->number[line->which] * 16 +
					    (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	memmove(line->tail, line->tail + 1, TAIL - 1);
	line->tail[TAIL - 1] = c;
}

bool maps_for_each(void (*visit)(uint64_t start, uint64_t end, bool is_stack, void *data),
		   void *data)
{
	struct maps_line line = { .which = 0 };
	char part[1024];
	long got;

	if (sandbox_is_on)
		return false;
	long fd = SYS4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (sys_failed(fd))
		return false;
	while ((got = SYS3(SYS_read, fd, part, sizeof(part))) > 0) {
		for (long i = 0; i < got; i++) {
			if (part[i] != '\n') {
				scan_character(&line, part[i]);
				continue;
			}
			if (line.number[0] < USER_END)
				visit(line.number[0], line.number[1],
				      !memcmp(line.tail, " [stack]", TAIL), data);
			line = (struct maps_line){ .which = 0 };
		}
	}
	SYS1(SYS_close, fd);
	return got == 0;
}
