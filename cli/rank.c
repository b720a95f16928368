/* rank.c -- Which process of a parallel program this is, and on which machine.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/rank.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Those of MPI before Slurm's: srun may start another launcher on each machine. */
static const char *const variables[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
					 "MV2_COMM_WORLD_RANK", "PALS_RANKID", "SLURM_PROCID" };

enum { DIGITS_MAX = 8 };

int rank_find(char *(*lookup)(const char *name))
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = lookup(variables[i]);
		const size_t length = value ? strlen(value) : 0;

		if (length > 0 && length <= DIGITS_MAX &&
		    strspn(value, "0123456789") == length)
			return atoi(value);
	}
	return RANK_NONE;
}

char *rank_host(char host[RANK_HOST_LENGTH])
{
	if (gethostname(host, RANK_HOST_LENGTH) < 0)
		host[0] = '\0';
	host[RANK_HOST_LENGTH - 1] = '\0';
	host[strcspn(host, ".")] = '\0';
	for (char *at = host; (at = strchr(at, '/')) != NULL;)
		*at = '_';
	return *host ? host : strcpy(host, "localhost");
}
