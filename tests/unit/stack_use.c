/* stack_use.c -- only instructions that touch nothing but the stack are left out of the counts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/lib/tap.h"

/* Of the emulator's plugin, which no library holds. */
#include "libmemusage/emulator/stack_use.c"

static const struct {
	const char *text;
	bool is_stack;
	unsigned char code[12];
	size_t size;
} cases[] = {
	{ "push %rbp", true, { 0x55 }, 1 },
	{ "pop %r12", true, { 0x41, 0x5c }, 2 },
	{ "ret", true, { 0xc3 }, 1 },
	{ "call near", true, { 0xe8, 1, 2, 3, 4 }, 5 },
	{ "mov 8(%rsp),%rax", true, { 0x48, 0x8b, 0x44, 0x24, 8 }, 5 },
	{ "mov %eax,(%rsp)", true, { 0x89, 0x04, 0x24 }, 3 },
	{ "movaps %xmm0,16(%rsp)", true, { 0x0f, 0x29, 0x44, 0x24, 16 }, 5 },
	{ "movsd (%rsp),%xmm1", true, { 0xf2, 0x0f, 0x10, 0x0c, 0x24 }, 5 },
	{ "cmpl $1,0x100(%rsp)", true, { 0x83, 0xbc, 0x24, 0, 1, 0, 0, 1 }, 8 },
	{ "mov (%rax),%rax", false, { 0x48, 0x8b, 0x00 }, 3 },
	{ "mov (%r12),%rax", false, { 0x49, 0x8b, 0x04, 0x24 }, 4 },
	{ "mov (%rsp,%rax,8),%rax", false, { 0x48, 0x8b, 0x04, 0xc4 }, 4 },
	{ "mov (%rax,%rsp... no index),%eax", false, { 0x8b, 0x04, 0x20 }, 3 },
	{ "call *(%rsp)", false, { 0xff, 0x14, 0x24 }, 3 },
	{ "call *8(%rax)", false, { 0xff, 0x50, 8 }, 3 },
	{ "push (%rax)", false, { 0xff, 0x30 }, 2 },
	{ "leave", false, { 0xc9 }, 1 },
	{ "rep movsb", false, { 0xf3, 0xa4 }, 2 },
	{ "lock addl $1,(%rdi)", false, { 0xf0, 0x83, 0x07, 1 }, 4 },
	{ "vmovaps (%rsp),%ymm0", false, { 0xc5, 0xfc, 0x28, 0x04, 0x24 }, 5 },
	{ "maskmovq", false, { 0x0f, 0xf7, 0xc1 }, 3 },
	{ "cut short", false, { 0x48, 0x8b, 0x44 }, 3 },
	{ "only a prefix", false, { 0x66 }, 1 },
	{ "nothing", false, { 0 }, 0 },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		OK(stack_use_only(cases[i].code, cases[i].size) == cases[i].is_stack, "%s",
		   cases[i].text);
	return done_testing();
}
