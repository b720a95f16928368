/* place.c -- stacks of all kinds, and their ends.
 *
 * Most lie in slots at fixed addresses, so that one comes to lie where another was, with another
 * size. Nobody else is given addresses there, so what is unmapped stays a hole.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLOTS = 12, STATICS = 3, PAGE = 4096, STATIC_SIZE = 96 << 10, CANARY = 512 };
static const size_t slot_size = 16 << 20;
static char *const first_slot = (char *)0x100000000000;

enum kind { AT_SLOT, MAPPED, ALLOCATED, STATIC };

static _Atomic uint32_t slots_taken, statics_taken;
static char statics[STATICS][STATIC_SIZE] __attribute__((aligned(4096)));

void place_init(void)
{
	slots_taken = statics_taken = 0;
}

/* The lowest of COUNT that is free, -1: none. */
static int take_lowest(_Atomic uint32_t *taken, int count)
{
	uint32_t seen = atomic_load(taken);

	for (;;) {
		int i = __builtin_ctz(~seen);

		if (i >= count)
			return -1;
		if (atomic_compare_exchange_weak(taken, &seen, seen | 1u << i))
			return i;
	}
}

/* At the slot's upper end, its lower, or somewhere. */
static bool take_slot(struct place *p, struct draw *d)
{
	size_t at;
	char *got;

	p->slot = take_lowest(&slots_taken, SLOTS);
	if (p->slot < 0)
		return false;
	switch (draw_below(d, 4)) {
	case 0:
		at = 0;
		break;
	case 1:
		at = (draw(d) >> 20) % (slot_size - p->size) & ~(size_t)(PAGE - 1);
		break;
	default:
		at = slot_size - p->size;
	}
	got = mmap(first_slot + (size_t)p->slot * slot_size + at, p->size, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	if (got != MAP_FAILED) {
		p->base = got;
		return true;
	}
	atomic_fetch_and(&slots_taken, ~(1u << p->slot));
	return false;
}

static bool take_static(struct place *p)
{
	p->slot = take_lowest(&statics_taken, STATICS);
	if (p->slot < 0)
		return false;
	p->base = statics[p->slot];
	p->size = STATIC_SIZE;
	return true;
}

static bool take_kind(struct place *p, struct draw *d)
{
	switch (p->kind) {
	case AT_SLOT:
		return take_slot(p, d);
	case MAPPED:
		p->base = mmap(NULL, p->size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		return p->base != MAP_FAILED;
	case ALLOCATED:
		p->base = malloc(p->size);
		return p->base != NULL;
	default:
		return take_static(p);
	}
}

bool place_take(struct place *p, struct draw *d, bool quiet)
{
	static const unsigned char kinds[] = { AT_SLOT, AT_SLOT, AT_SLOT, AT_SLOT, AT_SLOT,
					       MAPPED,  MAPPED,  ALLOCATED, STATIC };
	size_t pages = quiet ? 6 : 20;

	pages += draw_below(d, 3) ? draw_below(d, 80) : draw_below(d, 2500);
	*p = (struct place){ .size = pages * PAGE, .kind = kinds[draw_below(d, sizeof(kinds))] };
	if (take_kind(p, d))
		return true;
	p->kind = MAPPED;
	return take_kind(p, d);
}

/* ---- ends ---- */

static void move_away(struct place *p)
{
	void *to = mremap(p->base, p->size, p->size, MREMAP_MAYMOVE | MREMAP_FIXED,
			  first_slot + (size_t)(SLOTS + 1 + p->slot) * slot_size);

	if (to != MAP_FAILED)
		munmap(to, p->size);
}

static void end_slot(struct place *p, struct draw *d)
{
	size_t half = p->size / 2 & ~(size_t)(PAGE - 1);

	switch (draw_below(d, 9)) {
	case 0:
	case 1:
		munmap(p->base, p->size);
		break;
	case 2:
	case 3:
		syscall(SYS_munmap, p->base, p->size);
		break;
	case 4:
		mprotect(p->base, p->size, PROT_NONE);
		break;
	case 5:
		madvise(p->base, p->size, MADV_DONTNEED);
		break;
	case 6:
		move_away(p);
		break;
	case 7:
		munmap(p->base + half, p->size - half);
		break;
	default:
		mmap(p->base, p->size, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	}
	atomic_fetch_and(&slots_taken, ~(1u << p->slot));
}

void place_drop(struct place *p, struct draw *d)
{
	switch (p->kind) {
	case AT_SLOT:
		end_slot(p, d);
		break;
	case MAPPED:
		munmap(p->base, p->size);
		break;
	case ALLOCATED:
		free(p->base);
		break;
	default:
		atomic_fetch_and(&statics_taken, ~(1u << p->slot));
	}
	p->base = NULL;
}

/* In the lowest quarter, of which place_room() counts nothing. */
void place_guard(struct place *p, struct draw *d)
{
	size_t pages = p->size / 4 / PAGE;

	if (p->kind != AT_SLOT && p->kind != MAPPED)
		return;
	mprotect(p->base, pages * PAGE, PROT_READ | PROT_WRITE);
	if (pages && draw_below(d, 4))
		mprotect(p->base + draw_below(d, (unsigned int)pages) * (size_t)PAGE, PAGE, PROT_NONE);
}

size_t place_room(const struct place *p)
{
	size_t room = p->size - p->size / 4 - (6 << 10);

	return room < 1 << 20 ? room : 1 << 20;
}
