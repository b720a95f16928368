/* patch_entry.S -- where jumps from patched code arrive.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
	.text

/* In place of the `ret` of ld.so's function for debuggers. Called by ordinary calls, but all
 * registers are kept: nothing is known of the caller's compiler. */
	.globl	patch_objects_entry
	.hidden	patch_objects_entry
	.type	patch_objects_entry, @function
	.p2align 4
patch_objects_entry:
	.cfi_startproc
	endbr64
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	and	$-16, %rsp
	call	patch_objects_changed
	lea	-72(%rbp), %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	pop	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	patch_objects_entry, . - patch_objects_entry

	.section .note.GNU-stack, "", @progbits
