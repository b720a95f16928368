/* patch_entry.S -- where jumps from patched code arrive.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifdef __CET__
#include <cet.h> /* marks the object: it is made for indirect branch tracking and shadow stacks */
#endif

#include "libmemusage/base/x86_64/keep.h"

#define MU_ATTACH_TID 0x2d0 /* recording/attach.h */

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
	keep_registers
	mov	%rbp, %rdi
	call	patch_objects_changed
	give_registers_back
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	patch_objects_entry, . - patch_objects_entry

/* Thunks come here with a number and the return address on the stack. struct entry_call
 * (entry.h) is made below them: offsets from its start. */
#define ORIGINAL 56
#define R11 64
#define RAX 128
#define FLAGS 136
#define NUMBER 144
#define CALLER_BP 144
#define RETURN 152

/* Moves touch no flags. */
	.macro	save_registers
	mov	%rax, RAX(%rsp)
	lahf
	seto	%al
	mov	%rax, FLAGS(%rsp)
	mov	%r11, R11(%rsp)
	mov	%r10, R11+8(%rsp)
	mov	%r9, R11+16(%rsp)
	mov	%r8, R11+24(%rsp)
	mov	%rdi, R11+32(%rsp)
	mov	%rsi, R11+40(%rsp)
	mov	%rdx, R11+48(%rsp)
	mov	%rcx, R11+56(%rsp)
	.endm

	.macro	restore_registers
	mov	FLAGS(%rsp), %rax
	add	$0x7f, %al	/* overflows if it was set */
	sahf
	mov	R11(%rsp), %r11
	mov	R11+8(%rsp), %r10
	mov	R11+16(%rsp), %r9
	mov	R11+24(%rsp), %r8
	mov	R11+32(%rsp), %rdi
	mov	R11+40(%rsp), %rsi
	mov	R11+48(%rsp), %rdx
	mov	R11+56(%rsp), %rcx
	mov	RAX(%rsp), %rax
	.endm

/* The recorder of an attacher counts the calls that are under way, so that it can be taken away
 * when there are none, and looks whether its thread-local variables are the thread's. */
	.macro	begin_call
#ifdef MU_ATTACHED
	mov	attached_thread@GOTTPOFF(%rip), %rcx
	movl	%fs:MU_ATTACH_TID, %eax
	or	attached(%rip), %rax
	cmp	%rax, %fs:(%rcx)
	je	2f
	call	attached_adopt_thread
	mov	attached_thread@GOTTPOFF(%rip), %rcx
2:	incl	%fs:8(%rcx)
#endif
	.endm

	.macro	end_call
#ifdef MU_ATTACHED
	mov	attached_thread@GOTTPOFF(%rip), %rcx
	decl	%fs:8(%rcx)
#endif
	.endm

	.globl	patch_entry_common, patch_entry_returned
	.hidden	patch_entry_common, patch_entry_returned
	.type	patch_entry_common, @function
	.p2align 4
patch_entry_common:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	endbr64
	lea	-NUMBER(%rsp), %rsp
	.cfi_def_cfa_offset RETURN+8
	save_registers
	begin_call
	mov	NUMBER(%rsp), %esi
	mov	%rbp, CALLER_BP(%rsp)
	mov	%rsp, %rdi
	call	entry_before
	test	%al, %al
	jz	1f
	restore_registers
	call	*ORIGINAL(%rsp)
patch_entry_returned:
	save_registers
	mov	%rsp, %rdi
	call	entry_after
	end_call
	restore_registers
	lea	RETURN(%rsp), %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_def_cfa_offset RETURN+8
1:	end_call
	restore_registers
	lea	RETURN(%rsp), %rsp
	.cfi_def_cfa_offset 8
	jmp	*ORIGINAL-RETURN(%rsp)	/* in the red zone: no signal overwrites it */
	.cfi_endproc
	.size	patch_entry_common, . - patch_entry_common

#ifdef MU_ATTACHED
/* Dedicated ways for malloc and its family, which nearly all calls take: they keep what the ABI has
 * a function keep, and no more. A caller that may know more than the ABI (gcc's -fipa-ra) is in the
 * same object as the function, so it goes the general way; and so does a call that another
 * intercepted one makes. Offsets from the stack pointer, below the number and the return address.
 * quick_heap.h has the structs. */
#define SIZE 0 /* or the block */
#define KEPT_NUMBER 8
#define FRAME_BP 16

	.macro	leave_callers_of_own_object
	mov	%rax, -8(%rsp)
	mov	8(%rsp), %rax
	sub	quick_heap(%rip), %rax
	cmp	quick_heap+8(%rip), %rax
	mov	-8(%rsp), %rax
	jb	patch_entry_common
	.endm

	.macro	begin_quick_call
	leave_callers_of_own_object
	lea	-FRAME_BP(%rsp), %rsp
	.cfi_def_cfa_offset 32
	mov	FRAME_BP(%rsp), %rax
	mov	%rdi, SIZE(%rsp)
	mov	%rax, KEPT_NUMBER(%rsp)
	mov	%rbp, FRAME_BP(%rsp)
	begin_call
	mov	entry_outer@GOTTPOFF(%rip), %rcx
	cmpq	$0, %fs:(%rcx)
	jne	9f
	.endm

	.macro	go_general_way
	end_call
	mov	KEPT_NUMBER(%rsp), %rax
	mov	SIZE(%rsp), %rdi
	mov	%rax, FRAME_BP(%rsp)
	lea	FRAME_BP(%rsp), %rsp
	.cfi_def_cfa_offset 16
	jmp	patch_entry_common
	.endm

	.globl	patch_entry_malloc, patch_entry_free, patch_malloc_returned
	.hidden	patch_entry_malloc, patch_entry_free, patch_malloc_returned
	.type	patch_entry_malloc, @function
	.p2align 4
patch_entry_malloc:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	endbr64
	begin_quick_call
	mov	%rsp, %fs:(%rcx)
	mov	SIZE(%rsp), %rdi
	call	*quick_heap+16(%rip)
patch_malloc_returned:
	mov	entry_outer@GOTTPOFF(%rip), %rcx
	movq	$0, %fs:(%rcx)
	mov	%rax, %rdi
	mov	SIZE(%rsp), %rsi
	lea	FRAME_BP(%rsp), %rdx
	mov	%rax, SIZE(%rsp)
	call	quick_heap_allocated
	end_call
	mov	SIZE(%rsp), %rax
	lea	24(%rsp), %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_def_cfa_offset 32
9:	go_general_way
	.cfi_endproc
	.size	patch_entry_malloc, . - patch_entry_malloc

	.type	patch_entry_free, @function
	.p2align 4
patch_entry_free:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	endbr64
	begin_quick_call
	mov	SIZE(%rsp), %rdi
	lea	FRAME_BP(%rsp), %rsi
	call	quick_heap_freed
	test	%al, %al
	jz	9f
	end_call
	mov	SIZE(%rsp), %rdi
	lea	24(%rsp), %rsp
	.cfi_def_cfa_offset 8
	jmp	*quick_heap+24(%rip)
	.cfi_def_cfa_offset 32
9:	go_general_way
	.cfi_endproc
	.size	patch_entry_free, . - patch_entry_free

/* The others share a way: struct quick_function says what they are. struct quick_call is below the
 * frame. */
#define CALL_RSI 8
#define CALL_RDX 16
#define CALL_RESULT 24
#define CALL_FUNCTION 64
#define CALL_NUMBER 72
#define CALL_BP 80
#define BEGIN 8 /* in struct quick_function */
#define END 16

	.macro	arrive_at name, offset
	.globl	patch_entry_\name
	.hidden	patch_entry_\name
	.type	patch_entry_\name, @function
	.p2align 4
patch_entry_\name:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	endbr64
	leave_callers_of_own_object
	lea	quick_heap+\offset(%rip), %r11
	jmp	take_other_way
	.cfi_endproc
	.size	patch_entry_\name, . - patch_entry_\name
	.endm

	arrive_at calloc, 32
	arrive_at realloc, 56
	arrive_at memalign, 80
	arrive_at aligned_alloc, 104
	arrive_at posix_memalign, 128

	.globl	patch_other_returned
	.hidden	patch_other_returned
	.type	take_other_way, @function
	.p2align 4
take_other_way:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	lea	-CALL_BP(%rsp), %rsp
	.cfi_def_cfa_offset CALL_BP+16
	mov	CALL_BP(%rsp), %rax
	mov	%rdi, (%rsp)
	mov	%rsi, CALL_RSI(%rsp)
	mov	%rdx, CALL_RDX(%rsp)
	mov	%r11, CALL_FUNCTION(%rsp)
	mov	%rax, CALL_NUMBER(%rsp)
	mov	%rbp, CALL_BP(%rsp)
	begin_call
	mov	entry_outer@GOTTPOFF(%rip), %rcx
	cmpq	$0, %fs:(%rcx)
	jne	9f
	mov	CALL_FUNCTION(%rsp), %rax
	mov	BEGIN(%rax), %rax
	test	%rax, %rax
	jz	1f
	mov	%rsp, %rdi
	call	*%rax
1:	mov	entry_outer@GOTTPOFF(%rip), %rcx
	mov	%rsp, %fs:(%rcx)
	mov	CALL_FUNCTION(%rsp), %rax
	mov	(%rsp), %rdi
	mov	CALL_RSI(%rsp), %rsi
	mov	CALL_RDX(%rsp), %rdx
	call	*(%rax)
patch_other_returned:
	mov	entry_outer@GOTTPOFF(%rip), %rcx
	movq	$0, %fs:(%rcx)
	mov	%rax, CALL_RESULT(%rsp)
	mov	CALL_FUNCTION(%rsp), %rax
	mov	%rsp, %rdi
	call	*END(%rax)
	end_call
	mov	CALL_RESULT(%rsp), %rax
	lea	CALL_BP+8(%rsp), %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_def_cfa_offset CALL_BP+16
9:	end_call
	mov	CALL_NUMBER(%rsp), %rax
	mov	(%rsp), %rdi
	mov	CALL_RSI(%rsp), %rsi
	mov	CALL_RDX(%rsp), %rdx
	mov	%rax, CALL_BP(%rsp)
	lea	CALL_BP(%rsp), %rsp
	.cfi_def_cfa_offset 16
	jmp	patch_entry_common
	.cfi_endproc
	.size	take_other_way, . - take_other_way
#endif

	.section .note.GNU-stack, "", @progbits
