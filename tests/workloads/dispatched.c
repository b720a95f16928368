/* dispatched.c -- has each system call that libc does not make dispatched to itself, by SIGSYS
 * (PR_SET_SYSCALL_USER_DISPATCH), as emulators of other systems do; allocates, and says if it got
 * one that it did not make.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

enum { OFF, ON };

static volatile char dispatch;
static void *volatile block[100000];

static void on_call(int signal, siginfo_t *info, void *context)
{
	char text[80];

	(void)signal, (void)context;
	dispatch = OFF;
	if (write(1, text, (size_t)sprintf(text, "system call %d\n", info->si_syscall)) < 0)
		_exit(8);
	_exit(9);
}

static void find_libc(unsigned long *start, unsigned long *end)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long low, high;
	char line[500];

	*start = ~0ul;
	*end = 0;
	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/libc.so.6") || sscanf(line, "%lx-%lx", &low, &high) != 2)
			continue;
		*start = low < *start ? low : *start;
		*end = high > *end ? high : *end;
	}
	if (maps)
		fclose(maps);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_call, .sa_flags = SA_SIGINFO };
	unsigned long start, end;

	find_libc(&start, &end);
	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, ON, start, end - start, &dispatch) < 0) {
		puts("not here");
		return 0;
	}
	dispatch = ON;
	for (int i = 0; i < 100000; i++)
		block[i] = malloc(24 + (size_t)i % 1000);
	for (int i = 0; i < 100000; i += 2)
		free(block[i]);
	dispatch = OFF;
	puts("none");
	return 0;
}
