/* probes.c -- USDT probes by OpenTelemetry's contract for memory.
 *
 * The first consumers read the registers of the first three arguments, so each probe is a nop that
 * is the first instruction of a function, which assembly makes sure of: a compiler may put an endbr
 * before it, or inline it. The notes are what <sys/sdt.h> would make; it need not be installed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/probes.h"

__attribute__((section(".probes"), used)) union probe_semaphores probe_semaphores;

#if defined(__x86_64__)
#define ARGUMENT(x86, arm) "8@%" x86
#elif defined(__aarch64__)
#define ARGUMENT(x86, arm) "8@" arm
#else
#error "the registers of the first arguments are not known"
#endif

#define FIRST ARGUMENT("rdi", "x0")
#define SECOND ARGUMENT("rsi", "x1")
#define THIRD ARGUMENT("rdx", "x2")

/* A note: name, descriptor and type (3); then where the nop is, where .stapsdt.base was when this
 * was linked, the semaphore, and three strings. */
#define PROBE(function, name, semaphore, arguments)                                         \
	__asm__(".pushsection .text.probes, \"ax\"\n"                                       \
		".globl " #function "\n.hidden " #function "\n"                             \
		".type " #function ", %function\n.balign 16\n" #function ":\n"              \
		".cfi_startproc\nnop\nret\n.cfi_endproc\n"                                    \
		".size " #function ", . - " #function "\n.popsection\n"                     \
		".pushsection .note.stapsdt, \"\", %note\n.balign 4\n"                      \
		".4byte 992f - 991f, 994f - 993f, 3\n"                                      \
		"991: .asciz \"stapsdt\"\n992: .balign 4\n"                                 \
		"993: .8byte " #function ", _.stapsdt.base, probe_semaphores + " semaphore "\n" \
		".asciz \"otel_memory\"\n.asciz \"" name "\"\n.asciz \"" arguments "\"\n"    \
		"994: .balign 4\n.popsection\n")

/* Tools compare its address with that in the notes: prelink may have moved the library. */
__asm__(".pushsection .stapsdt.base, \"aG\", %progbits, .stapsdt.base, comdat\n"
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"
	"_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");

PROBE(probe_alloc, "alloc", "0", FIRST " " SECOND " " THIRD);
PROBE(probe_free, "free", "2", FIRST);
