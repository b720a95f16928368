/* page_template.c -- the HTML page without its data, as it was built from page/.
 *
 * The file is empty when the page was not built. An assembler takes it as it is, in no time; as
 * a C array it would take seconds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_template.h"

#ifndef MU_PAGE_TEMPLATE
#define MU_PAGE_TEMPLATE "/dev/null"
#endif

__asm__(".pushsection .rodata.page_template,\"a\",%progbits\n"
	".globl page_template, page_template_size\n"
	".hidden page_template, page_template_size\n"
	".balign 8\n"
	"page_template_size: .quad 2f - 1f\n"
	"page_template:\n"
	"1: .incbin \"" MU_PAGE_TEMPLATE "\"\n"
	"2: .byte 0\n"
	".popsection\n");
