/* macros_entry.S -- where the stubs of client requests call to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifdef __CET__
#include <cet.h> /* marks the object: it is made for indirect branch tracking and shadow stacks */
#endif

#include "libmemusage/base/x86_64/keep.h"

	.text

/* Called from a stub, 128 bytes below the stack pointer at the request. For who unwinds, the caller
 * is the function with the request, not the stub, which no table knows: the stub holds the
 * address behind the request 13 bytes after its call returns. The expression reads, with the
 * CFA given: *(*(CFA - 136) + 13). */
	.globl	macros_entry
	.hidden	macros_entry
	.type	macros_entry, @function
	.p2align 4
macros_entry:
	.cfi_startproc
	.cfi_def_cfa %rsp, 136
	.cfi_escape 0x16, 16, 8, 0x0a, 0x88, 0x00, 0x1c, 0x06, 0x23, 0x0d, 0x06
	endbr64
	keep_registers
	cld
	mov	%rbp, %rdi
	call	macros_serve
	mov	%rax, KEPT_RDX(%rbp)
	give_registers_back
	.cfi_def_cfa %rsp, 136
	ret
	.cfi_endproc
	.size	macros_entry, . - macros_entry

	.section .note.GNU-stack, "", @progbits
