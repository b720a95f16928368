/* keep.h -- call C from code whose caller expects all general registers to be kept (assembly).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* A frame with all that a C function may change, aligned for a call. Flags are not kept. */

#define KEPT_RDX -24	/* from %rbp */

	.macro	keep_registers
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
	.endm

/* Undoes keep_registers; the rule for the CFA is the caller's to give. */
	.macro	give_registers_back
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
	.endm
