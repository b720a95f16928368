/* disturber.c -- a program of a user that makes trouble for root, who attaches to it.
 *
 * disturber descriptors FILE  a child that shares its descriptors puts a handle of FILE in the place
 *                             of each memory file that is made in it
 * disturber answer            a child changes what the recorder answers to its attacher
 * disturber filters           it has hundreds of seccomp filters, with 2^17 ways through each
 * disturber list              a list of free blocks leads to its own beginning
 *
 * It says "ready", and ends with its input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "recording/attach.h"

enum { TCACHED = 7, SIZE = 40, DECISIONS = 17, FILTERS = 700 };

static char stack[65536];
static int handle;

/* The next file is made at the number behind the handle. */
static int replace_files(void *data)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		while (fcntl(handle + 1, F_GETFD) < 0)
			;
		dup2(handle, handle + 1);
		usleep(100000);
		close(handle + 1);
	}
}

static uint64_t find_parameters(pid_t pid)
{
	char path[64], line[4096];
	unsigned long start = 0, found;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && !start && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "/memfd:" MU_ATTACH_FILE " ") && strstr(line, " rw-p ") &&
		    sscanf(line, "%lx", &found) == 1)
			start = found;
	}
	if (maps)
		fclose(maps);
	return start;
}

/* Each entry is said to have taken more bytes than a jump can need. */
static int change_answer(void *data)
{
	const pid_t parent = getppid();
	unsigned char most = UINT8_MAX;
	struct iovec local = { &most, 1 }, remote = { NULL, 1 };
	uint64_t at = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		at = at ? at : find_parameters(parent);
		for (unsigned int i = 0; at && i < 8; i++) {
			remote.iov_base = (void *)(at + offsetof(struct mu_attach, entry) +
						   i * sizeof(struct mu_attach_entry) +
						   offsetof(struct mu_attach_entry, taken));
			if (process_vm_writev(parent, &local, 1, &remote, 1, 0) < 0)
				at = 0;
		}
	}
}

/* Each decision depends on an argument, and leads to the next one either way. */
static int add_filters(void)
{
	struct sock_filter code[2 * DECISIONS + 2];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;
	int count = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, args));
	for (int i = 0; i < DECISIONS; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 12345, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	while (count < FILTERS &&
	       syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0)
		count++;
	return count;
}

/* Links are stored with the address that they are at since glibc 2.32. */
static void close_list(void)
{
	uint64_t *block[TCACHED + 1];
	uint64_t at;

	for (int i = 0; i <= TCACHED; i++)
		block[i] = malloc(SIZE);
	for (int i = 0; i <= TCACHED; i++)
		free(block[i]);
	at = (uint64_t)block[TCACHED];
	*block[TCACHED] = *block[TCACHED] == 0 ? at - 16 : (at - 16) ^ at >> 12;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	char byte;

	if (strcmp(what, "descriptors") == 0 && argc == 3) {
		handle = open(argv[2], O_PATH);
		if (handle < 0 ||
		    clone(replace_files, stack + sizeof(stack), CLONE_FILES | SIGCHLD, NULL) < 0)
			return 2;
	} else if (strcmp(what, "answer") == 0) {
		if (clone(change_answer, stack + sizeof(stack), SIGCHLD, NULL) < 0)
			return 2;
	} else if (strcmp(what, "filters") == 0) {
		if (add_filters() == 0)
			return 77;
	} else if (strcmp(what, "list") == 0) {
		close_list();
	} else {
		return 2;
	}
	if (write(STDOUT_FILENO, "ready\n", 6) != 6)
		return 2;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
