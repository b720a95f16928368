/* page_states.c -- Which pages of a process are in memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/page_states.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/pages/page_census.h"

enum { AT_ONCE = 4096, NODE_MAX = 15 };

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- the ioctl ------------------------------------------------------------------------------ */

/* Headers of older kernels do not have these. Source  Linux 6.7, include/uapi/linux/fs.h. */
struct scan_region {
	uint64_t start, end, categories;
};

struct scan_argument {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN_CALL _IOWR('f', 16, struct scan_argument)

enum {
	SCAN_FILE = 1 << 2,
	SCAN_PRESENT = 1 << 3,
	SCAN_SWAPPED = 1 << 4,
	SCAN_ZERO = 1 << 5,
	SCAN_HUGE = 1 << 6
};

static uint8_t state_of_categories(uint64_t categories)
{
	unsigned int state = 0;

	if (categories & SCAN_SWAPPED)
		state = PAGE_SWAPPED;
	else if (categories & SCAN_PRESENT && !(categories & SCAN_ZERO))
		state = PAGE_RESIDENT | (categories & SCAN_HUGE ? PAGE_HUGE : 0u);
	return (uint8_t)state;
}

typedef void scan_fn(const struct scan_region *r, void *data);

/* Calls the kernel until the whole range is done, and VISIT for each region of it that has the
 * categories of LIKE. Returns the address up to which that was possible. */
static uint64_t scan_range(int pagemap, uint64_t start, uint64_t end,
			   const struct scan_argument *like, scan_fn *visit, void *data)
{
	static struct scan_region region[AT_ONCE];
	uint64_t at = start;

	while (at < end) {
		struct scan_argument a = *like;
		int count;

		a.size = sizeof(a);
		a.start = at;
		a.end = end;
		a.vec = (uint64_t)(uintptr_t)region;
		a.vec_len = AT_ONCE;
		count = ioctl(pagemap, SCAN_CALL, &a);
		if (count < 0 || a.walk_end <= at)
			break;
		for (int i = 0; i < count; i++)
			visit(&region[i], data);
		at = a.walk_end;
	}
	return at;
}

struct scanned_states {
	uint64_t start, page, resident;
	uint8_t *state; /* of pages from START on; NULL: only RESIDENT, in bytes, is wanted */
};

static void note_state(const struct scan_region *r, void *data)
{
	struct scanned_states *s = data;
	const uint8_t what = state_of_categories(r->categories);

	if (what & PAGE_RESIDENT)
		s->resident += r->end - r->start;
	if (s->state)
		memset(s->state + (r->start - s->start) / s->page, what,
		       (r->end - r->start) / s->page);
}

static bool scan_states(int pagemap, uint64_t end, struct scanned_states *s)
{
	const struct scan_argument any = {
		.category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
		.return_mask = SCAN_PRESENT | SCAN_SWAPPED | SCAN_ZERO | SCAN_HUGE,
	};

	return scan_range(pagemap, s->start, end, &any, note_state, s) >= end;
}

bool page_states_scan(int pagemap, uint64_t start, uint64_t end, uint8_t *state)
{
	struct scanned_states s = { .start = start, .page = page_size(), .state = state };

	memset(state, 0, (end - start) / s.page);
	return scan_states(pagemap, end, &s);
}

struct visit {
	page_run_fn *visit;
	void *data;
};

static void pass_on(const struct scan_region *r, void *data)
{
	const struct visit *v = data;

	v->visit(v->data, r->start, r->end);
}

uint64_t page_states_visit(int pagemap, uint64_t start, uint64_t end, bool own_only,
			   page_run_fn *visit, void *data)
{
	const struct scan_argument like = {
		.category_inverted = own_only ? SCAN_FILE : 0,
		.category_mask = own_only ? SCAN_FILE : 0,
		.category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
		.return_mask = SCAN_PRESENT,
	};
	struct visit v = { visit, data };

	return scan_range(pagemap, start, end, &like, pass_on, &v);
}

/* ---- the file ------------------------------------------------------------------------------- */

#define ENTRY_PRESENT (UINT64_C(1) << 63)
#define ENTRY_SWAPPED (UINT64_C(1) << 62)

static bool read_range(int pagemap, uint64_t start, uint64_t end, uint8_t *state,
		       uint64_t *resident)
{
	static uint64_t entry[AT_ONCE];
	const uint64_t page = page_size(), count = (end - start) / page;

	for (uint64_t i = 0; i < count;) {
		uint64_t part = count - i < AT_ONCE ? count - i : AT_ONCE;
		ssize_t got = pread(pagemap, entry, part * sizeof(*entry),
				    (off_t)((start / page + i) * sizeof(*entry)));

		if (got < (ssize_t)sizeof(*entry))
			return false;
		for (uint64_t k = 0; k < (uint64_t)got / sizeof(*entry); k++, i++) {
			uint8_t what = entry[k] & ENTRY_PRESENT ? PAGE_RESIDENT :
				       entry[k] & ENTRY_SWAPPED ? PAGE_SWAPPED : 0;

			*resident += what & PAGE_RESIDENT ? page : 0;
			if (state)
				state[i] = what;
		}
	}
	return true;
}

bool page_states_read(int pagemap, uint64_t start, uint64_t end, uint8_t *state)
{
	uint64_t resident = 0;

	return read_range(pagemap, start, end, state, &resident);
}

uint64_t page_states_count(int pagemap, uint64_t start, uint64_t end)
{
	struct scanned_states s = { .start = start, .page = page_size() };
	uint64_t resident = 0;

	if (scan_states(pagemap, end, &s))
		return s.resident;
	return read_range(pagemap, start, end, NULL, &resident) ? resident : UINT64_MAX;
}

/* ---- NUMA nodes ----------------------------------------------------------------------------- */

/* Tells whether more than one node has memory: "0-1" or "0,2", not "0". */
static bool has_nodes(void)
{
	char text[64] = "";
	int fd = open("/sys/devices/system/node/has_memory", O_RDONLY | O_CLOEXEC);
	bool got = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0;

	if (fd >= 0)
		close(fd);
	return got && strpbrk(text, "-,");
}

bool page_states_add_nodes(pid_t pid, uint64_t start, uint64_t end, uint8_t *state)
{
	static void *address[AT_ONCE];
	static int node[AT_ONCE];
	const uint64_t page = page_size(), count = (end - start) / page;

	if (!has_nodes())
		return false;
	for (uint64_t i = 0; i < count; i += AT_ONCE) {
		uint64_t part = count - i < AT_ONCE ? count - i : AT_ONCE;

		for (uint64_t k = 0; k < part; k++)
			address[k] = (void *)(uintptr_t)(start + (i + k) * page);
		if (syscall(SYS_move_pages, pid, part, address, NULL, node, 0) < 0)
			return false;
		for (uint64_t k = 0; k < part; k++) {
			int n = node[k] < 0 ? 0 : node[k] > NODE_MAX ? NODE_MAX : node[k];

			state[i + k] |= (uint8_t)(n << PAGE_NODE_SHIFT);
		}
	}
	return true;
}
