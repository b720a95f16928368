/* fork_work.h -- The work of parents and children in workloads that fork.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/lib/workload.h"

/* make_own -- Allocates COUNT blocks of 100 bytes, the parent's own. */
static inline void make_own(void **own, int count)
{
	for (int i = 0; i < count; i++)
		own[i] = malloc(100);
}

/* child_work -- Makes and frees three blocks of 5000 bytes: 6 calls, 15000 bytes. */
static inline void child_work(void)
{
	void *block[3];

	for (int i = 0; i < 3; i++)
		memset(block[i] = malloc(5000), 1, 5000);
	for (int i = 0; i < 3; i++)
		free(block[i]);
}

/* reap -- Waits for a child and checks its exit status. */
static inline void reap(pid_t pid, int want)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	check(pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == want, "a child's status");
}
