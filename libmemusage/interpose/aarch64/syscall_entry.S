/* syscall_entry.S -- syscall(), which programs call in place of libc's; see that for x86-64.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <asm/unistd.h>

	.text
	.globl	syscall
	.type	syscall, %function
	.p2align 4
syscall:
	.cfi_startproc
	hint	#34	/* bti c */
	cmp	x0, #__NR_seccomp
	b.eq	1f
	cmp	x0, #__NR_prctl
	b.eq	1f
	cmp	x0, #__NR_clone
	b.eq	1f
#ifdef __NR_clone3
	cmp	x0, #__NR_clone3
	b.eq	1f
#endif
	cmp	x0, #__NR_mlockall
	b.eq	1f
	cmp	x0, #__NR_setrlimit
	b.eq	1f
	cmp	x0, #__NR_prlimit64
	b.eq	1f
	adrp	x16, real
	ldr	x16, [x16, #:lo12:real]
	br	x16
1:
	stp	x29, x30, [sp, #-80]!
	.cfi_def_cfa_offset 80
	.cfi_offset 29, -80
	.cfi_offset 30, -72
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	str	x6, [sp, #64]
	bl	prepare_for_system_call
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldr	x6, [sp, #64]
	ldp	x29, x30, [sp], #80
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	br	x16
	.cfi_endproc
	.size	syscall, . - syscall

	.section .note.GNU-stack, "", %progbits
