/* polled.c -- a program whose only thread waits in poll() for its standard input to end, and then says how
 * often that call ended for nothing: `polled [stack | caller]`. The call is made as by glibc 2.41 and later then,
 * in a program with one thread or with several: libc's function for all calls has the number on its stack, or its
 * caller has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <poll.h>
#include <unistd.h>

#include "tests/lib/workload.h"

typedef int poll_fn(struct pollfd *file, nfds_t count, int timeout);

#if defined(__x86_64__)
poll_fn poll_stack, poll_caller;

__asm__(".text\n"
	"poll_stack:\n"
	"	push $7\n"
	"	sub $0x18, %rsp\n"
	"	mov 0x18(%rsp), %rax\n"
	"	syscall\n"
	"	add $0x20, %rsp\n"
	"	ret\n"
	"make_call:\n"
	"	mov %rdi, %r11\n"
	"	mov %rsi, %rax\n"
	"	mov %rdx, %rdi\n"
	"	mov %rcx, %rsi\n"
	"	mov %r8, %rdx\n"
	"	mov %r11, 0x8(%rsp)\n"
	"	syscall\n"
	"	ret\n"
	"poll_caller:\n"
	"	push $7\n"
	"	sub $0x18, %rsp\n"
	"	mov %rdx, %r8\n"
	"	mov %rsi, %rcx\n"
	"	mov %rdi, %rdx\n"
	"	mov 0x18(%rsp), %rsi\n"
	"	mov %rsp, %rdi\n"
	"	call make_call\n"
	"	add $0x20, %rsp\n"
	"	ret\n");
#else
#define poll_stack poll
#define poll_caller poll
#endif

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	poll_fn *const wait = argc < 2 ? poll : argv[1][0] == 's' ? poll_stack : poll_caller;
	char byte;
	long bad = 0;

	say("ready");
	do {
		while (wait(&input, 1, -1) != 1)
			bad++;
	} while (read(STDIN_FILENO, &byte, 1) > 0);
	say("done=1 bad=%ld", bad);
	return bad != 0;
}
