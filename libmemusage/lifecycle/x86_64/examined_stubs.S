/* examined_stubs.S -- the code that an examiner has a stopped thread run.
 *
 * The examiner sets all registers, and takes the thread back when the system call has been made. If
 * it is killed in between, the thread goes on here: rt_sigreturn gives it back the registers that
 * the examiner has put at the stack pointer as for a signal, and a cloned process ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifdef __CET__
#include <cet.h> /* marks the object: it is made for indirect branch tracking and shadow stacks */
#endif

	.text

	.globl	examined_call
	.hidden	examined_call
	.type	examined_call, @function
examined_call:
	syscall
return_as_from_signal:
	mov	$15, %eax /* rt_sigreturn */
	syscall
	hlt
	.size	examined_call, . - examined_call

	.globl	examined_clone
	.hidden	examined_clone
	.type	examined_clone, @function
examined_clone:
	syscall
	test	%rax, %rax
	jnz	return_as_from_signal
	xor	%edi, %edi
	mov	$231, %eax /* exit_group */
	syscall
	hlt
	.size	examined_clone, . - examined_clone

	.section .note.GNU-stack, "", @progbits
