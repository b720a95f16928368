/* maps.c -- the species map: mappings of the program's own are made, cut, moved and replaced.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, MOST = 64 };

struct region {
	char *at;
	size_t pages;
	bool is_alone; /* no other thread can get addresses that are free for a moment */
	unsigned char first[MOST * 2]; /* byte of each page, or HOLE */
};

enum { HOLE = 255 };

static void make_pages(const struct step *s, struct draw *d, struct region *g, size_t from, size_t count)
{
	char *at = mmap(g->at + from * PAGE, count * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	must(s, at == g->at + from * PAGE, "a mapping at a fixed place");
	for (size_t i = from; i < from + count; i++)
		g->at[i * PAGE] = (char)(g->first[i] = (unsigned char)(draw(d) & 127));
}

static void unmap_pages(const struct step *s, struct draw *d, struct region *g, size_t from, size_t count)
{
	void *at = g->at + from * PAGE;

	unsigned int how = draw_below(d, 2);

	if (g->is_alone)
		note(s, (uint64_t)(how ? munmap(at, count * PAGE)
				       : (int)syscall(SYS_munmap, at, count * PAGE)));
	mmap(at, count * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	memset(g->first + from, HOLE, count);
}

static void empty_pages(const struct step *s, struct region *g, size_t from, size_t count)
{
	for (size_t i = from; i < from + count; i++)
		if (g->first[i] != HOLE) {
			note(s, (uint64_t)madvise(g->at + i * PAGE, PAGE, MADV_DONTNEED));
			g->first[i] = 0;
		}
}

static void look(const struct step *s, const struct region *g)
{
	for (size_t i = 0; i < g->pages; i++)
		if (g->first[i] != HOLE)
			must(s, (unsigned char)g->at[i * PAGE] == g->first[i], "contents of a page");
}

static void change_pages(const struct step *s, struct draw *d, struct region *g)
{
	size_t from = draw_below(d, (unsigned int)g->pages);
	size_t count = 1 + draw_below(d, (unsigned int)(g->pages - from));

	switch (draw_below(d, 4)) {
	case 0:
		unmap_pages(s, d, g, from, count);
		break;
	case 1:
		empty_pages(s, g, from, count);
		break;
	default:
		make_pages(s, d, g, from, count);
	}
}

static void grow_and_move(const struct step *s, struct draw *d)
{
	size_t pages = 1 + draw_below(d, 50), more = 1 + draw_below(d, 90);
	char *at = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *moved;

	if (at == MAP_FAILED)
		return;
	memset(at, 9, pages * PAGE);
	moved = mremap(at, pages * PAGE, more * PAGE, MREMAP_MAYMOVE);
	if (moved == MAP_FAILED) {
		munmap(at, pages * PAGE);
		return;
	}
	must(s, moved[((pages < more ? pages : more) - 1) * PAGE] == 9, "mremap keeps contents");
	note(s, (uint64_t)munmap(moved, more * PAGE));
}

static void refused(const struct step *s)
{
	errno = 0;
	note(s, mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	note(s, (uint64_t)errno);
	note(s, mmap(NULL, (size_t)1 << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
	note(s, (uint64_t)errno);
	note(s, (uint64_t)munmap((void *)123, 4096));
	note(s, (uint64_t)errno);
	note(s, mremap((void *)0x200000000000, 4096, 8192, 0) == MAP_FAILED);
	note(s, (uint64_t)errno);
}

void do_map(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);
	struct region g = { .pages = 4 + draw_below(&d, MOST), .is_alone = r->can & CAN_ALONE };

	g.at = mmap(NULL, g.pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (g.at == MAP_FAILED)
		return;
	memset(g.first, HOLE, sizeof(g.first));
	for (unsigned int i = 0, n = 2 + draw_below(&d, 12); i < n; i++)
		change_pages(s, &d, &g);
	look(s, &g);
	note(s, (uint64_t)munmap(g.at, g.pages * PAGE));
	grow_and_move(s, &d);
	refused(s);
	if (r->can & CAN_ALONE && draw_below(&d, 4) == 0)
		note(s, sbrk(5000) == (void *)-1);
	use_blocks(s, &d, 4, 900);
}
