/* trampoline.c -- Stepping over trampolines: generated code without unwind tables that calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/trampoline.h"

#include "libmemusage/base/readable.h"

#if defined(__x86_64__)

enum { BEFORE = 6, BEHIND = 5 }; /* bytes of the pattern around the return address */

bool trampoline_frame_size(uint64_t pc, uint32_t *size)
{
	const uint8_t *code = (const uint8_t *)pc;

	/* Together the two words are the bytes that are read. */
	if (pc < MU_PAGE || !readable_page(pc - BEFORE) ||
	    !readable_page(pc + BEHIND - sizeof(uint64_t)))
		return false;
	if (code[-6] != 0x48 || code[-5] != 0x83 || code[-4] != 0xec || /* sub $size,%rsp */
	    code[-2] != 0xff || code[-1] != 0xd1 ||			 /* call *%rcx */
	    code[0] != 0x48 || code[1] != 0x83 || code[2] != 0xc4 ||	 /* add $size,%rsp */
	    code[3] != code[-3] || code[4] != 0xc3 || code[3] > 127)	 /* ret */
		return false;
	*size = code[3];
	return true;
}

#else

bool trampoline_frame_size(uint64_t pc, uint32_t *size)
{
	(void)pc;
	(void)size;
	return false; /* its trampolines keep a frame pointer */
}

#endif
