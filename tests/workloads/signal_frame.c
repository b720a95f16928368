/* CFLAGS: -O1 -fno-inline */
/* signal_frame.c -- a signal handler allocates when the first instruction of a function traps: 500
 * bytes. What lies before that function is another's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include "tests/lib/workload.h"

void *volatile kept;

void trap(void);

#if defined(__x86_64__)
#define PC(context) ((context)->uc_mcontext.gregs[REG_RIP])
enum { TRAP_BYTES = 2 };
__asm__(".text\n.type before,@function\nbefore:\n.cfi_startproc\nnop\nnop\n.cfi_endproc\n"
	".size before,.-before\n.globl trap\n.type trap,@function\ntrap:\n.cfi_startproc\n"
	"ud2\nret\n.cfi_endproc\n.size trap,.-trap\n");
#else
#define PC(context) ((context)->uc_mcontext.pc)
enum { TRAP_BYTES = 4 };
__asm__(".text\n.type before,%function\nbefore:\n.cfi_startproc\nnop\nnop\n.cfi_endproc\n"
	".size before,.-before\n.globl trap\n.type trap,%function\ntrap:\n.cfi_startproc\n"
	"udf #0\nret\n.cfi_endproc\n.size trap,.-trap\n");
#endif

static void handler(int signal, siginfo_t *info, void *data)
{
	ucontext_t *context = data;

	(void)signal;
	(void)info;
	kept = malloc(500);
	PC(context) += TRAP_BYTES;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	check(sigaction(SIGILL, &action, NULL) == 0, "sigaction");
	trap();
	return 0;
}
