/* stack_range.c -- the bounds of whatever stack an address is on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/stack_range.h"

#include <fcntl.h>
#include <string.h>

#include "libmemusage/sys.h"

#define READ_BYTES 1024

/* A line of /proc/self/maps begins "7f1c8000-7f1d9000 rw-p ". */
struct scanner {
	uint64_t value[2];
	unsigned int field; /* 0, 1: the addresses; 2: permissions; 3: rest of the line */
};

/* Feeds one character. Returns true when the line's two addresses and "r" are known. */
static bool scan(struct scanner *s, char c)
{
	if (c == '\n') {
		*s = (struct scanner){ 0 };
		return false;
	}
	if (s->field == 3)
		return false;
	if (s->field == 2) {
		s->field = 3;
		return c == 'r';
	}
	if (c == '-' || c == ' ') {
		s->field++;
		return false;
	}
	unsigned int digit = c <= '9' ? (unsigned int)(c - '0') : (unsigned int)(c - 'a' + 10);
	s->value[s->field] = s->value[s->field] << 4 | digit;
	return false;
}

static bool mapping_of(uint64_t address, uint64_t *low, uint64_t *high)
{
	char buffer[READ_BYTES];
	struct scanner s = { 0 };
	bool found = false;
	long fd = SYS4(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	long got;

	if (sys_failed(fd))
		return false;
	while (!found && (got = SYS3(SYS_read, fd, buffer, sizeof(buffer))) > 0 && !sys_failed(got))
		for (long i = 0; i < got && !found; i++)
			if (scan(&s, buffer[i]) && address >= s.value[0] && address < s.value[1]) {
				*low = s.value[0];
				*high = s.value[1];
				found = true;
			}
	SYS1(SYS_close, fd);
	return found;
}

/* The end of the thread's own stack. Between its base and its thread structure lie libc's own
 * frames and all of its static TLS, which may be large; both are within the size that was asked
 * for (glibc's allocate_stack.c). */
static uint64_t own_end(const struct thread *thread)
{
	uint64_t base = thread->pub.stack_base;
	uint64_t top = (uint64_t)__builtin_thread_pointer();

	return top > base && top - base < thread->pub.stack_size ? top : base + 8;
}

bool stack_range_own(const struct thread *thread, uint64_t address)
{
	return address >= thread->pub.stack_base - thread->pub.stack_size &&
	       address + 8 <= own_end(thread);
}

/* A range that was found before holds if its last page is still mapped. */
static bool is_mapped(uint64_t high)
{
	unsigned char resident;

	return !sys_failed(SYS3(SYS_mincore, high - MU_PAGE, MU_PAGE, &resident));
}

bool stack_range_find(const struct thread *thread, struct walk *walk, uint64_t address)
{
	if (stack_range_own(thread, address)) {
		walk->low = thread->pub.stack_base - thread->pub.stack_size;
		walk->high = own_end(thread);
		return true;
	}
	bool is_known = address >= walk->other_low && address < walk->other_high;
	if (!(is_known && is_mapped(walk->other_high)) &&
	    !mapping_of(address, &walk->other_low, &walk->other_high))
		return false;
	walk->low = walk->other_low;
	walk->high = walk->other_high;
	return true;
}
