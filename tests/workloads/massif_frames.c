/* CFLAGS: -O1 -fno-inline */
/* massif_frames.c -- frames of every size: large ones, variable ones, aligned ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

static void *keep[64];
static int kept;

static void take(size_t n)
{
	keep[kept++] = malloc(n);
}

static int large(size_t n)
{
	volatile char room[40000];

	room[n] = 1;
	take(n);
	return room[n];
}

static int variable(size_t n)
{
	volatile char *room = alloca(n);

	room[0] = 1;
	large(n / 2);
	take(n);
	return room[0];
}

static int aligned(size_t n)
{
	_Alignas(64) volatile char room[64];

	room[0] = 2;
	variable(n + 16);
	take(n);
	return room[0];
}

int main(void)
{
	for (int i = 1; i < 8; i++)
		aligned(160 * i);
	return kept != 21;
}
