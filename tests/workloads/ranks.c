/* ranks.c -- A process of an MPI program, built without MPI: rank 3 holds five times as much.
 *
 *	ranks LIBRARY KIB
 *
 * Opens LIBRARY and calls its MPI_Init, holds KIB KiB in 32 blocks (rank 3 five times that), calls
 * MPI_Finalize, and prints its rank.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCKS = 32, ODD = 3 };

static void *block[BLOCKS];

static __attribute__((noinline)) void hold_field(size_t kib)
{
	for (int i = 0; i < BLOCKS; i++)
		block[i] = malloc(kib * 1024 / BLOCKS);
}

static int find_rank(void)
{
	const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK" };

	for (int i = 0; i < 2; i++) {
		if (getenv(names[i]))
			return atoi(getenv(names[i]));
	}
	return -1;
}

int main(int argc, char **argv)
{
	const struct timespec while_others_hold = { .tv_nsec = 300000000 };
	void *mpi = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	int (*init)(int *, char ***), (*finalize)(void);
	const int rank = find_rank();

	if (!mpi)
		return 2;
	*(void **)&init = dlsym(mpi, "MPI_Init");
	*(void **)&finalize = dlsym(mpi, "MPI_Finalize");
	if (!init || !finalize || init(&argc, &argv) != 0)
		return 3;
	hold_field(strtoul(argv[2], NULL, 10) * (rank == ODD ? 5 : 1));
	nanosleep(&while_others_hold, NULL);
	printf("rank %d\n", rank);
	fflush(stdout);
	return finalize();
}
