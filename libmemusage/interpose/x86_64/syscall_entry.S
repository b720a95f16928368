/* syscall_entry.S -- syscall(), which programs call in place of libc's.
 *
 * Only the caller knows how many arguments there are. The last one is on its stack, in a word that
 * is a variable of the caller if there are fewer: another thread may be changing it. So this is a jump
 * that leaves the stack alone, at any level of optimisation.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <asm/unistd.h>
#ifdef __CET__
#include <cet.h>
#endif

	.text
	.globl	syscall
	.type	syscall, @function
	.p2align 4
syscall:
	.cfi_startproc
	endbr64
	cmp	$__NR_seccomp, %edi
	je	1f
	cmp	$__NR_prctl, %edi
	je	1f
#ifdef __NR_clone3
	cmp	$__NR_clone3, %edi
	je	1f
#endif
	cmp	$__NR_mlockall, %edi
	je	1f
	cmp	$__NR_setrlimit, %edi
	je	1f
	cmp	$__NR_prlimit64, %edi
	je	1f
	lea	-__NR_clone(%rdi), %eax	/* clone, fork, vfork */
	cmp	$__NR_vfork - __NR_clone, %eax
	jbe	1f
	jmp	*real(%rip)	/* its first member */
1:
	push	%rdi
	push	%rsi
	push	%rdx
	push	%rcx
	push	%r8
	push	%r9
	sub	$8, %rsp
	.cfi_def_cfa_offset 64
	call	prepare_for_system_call
	add	$8, %rsp
	pop	%r9
	pop	%r8
	pop	%rcx
	pop	%rdx
	pop	%rsi
	pop	%rdi
	.cfi_def_cfa_offset 8
	jmp	*%rax
	.cfi_endproc
	.size	syscall, . - syscall

	.section .note.GNU-stack, "", @progbits
