/* recorder_decode.c -- instructions have the length that the disassembler says.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

enum { LINE = 512, CODE = 32, KEPT = 5 };

static const struct {
	const char *text;
	uint8_t code[16];
	unsigned int length; /* 0: not known */
} cases[] = {
	{ "push %rbp", { 0x55 }, 1 },
	{ "endbr64", { 0xf3, 0x0f, 0x1e, 0xfa }, 4 },
	{ "mov $1,%eax", { 0xb8, 1 }, 5 },
	{ "movabs $1,%rax", { 0x48, 0xb8, 1 }, 10 },
	{ "mov 0x0(%rip),%rax", { 0x48, 0x8b, 0x05 }, 7 },
	{ "mov %fs:0x28,%rax", { 0x64, 0x48, 0x8b, 0x04, 0x25, 0x28 }, 9 },
	{ "cmpb $0,0x0(%rip)", { 0x80, 0x3d }, 7 },
	{ "testb $1,(%rdi)", { 0xf6, 0x07, 1 }, 3 },
	{ "notb (%rdi)", { 0xf6, 0x17 }, 2 },
	{ "testl $1,8(%rdi)", { 0xf7, 0x47, 8, 1 }, 7 },
	{ "je", { 0x74, 5 }, 2 },
	{ "jne far", { 0x0f, 0x85 }, 6 },
	{ "call", { 0xe8 }, 5 },
	{ "jmp *0(%rip)", { 0xff, 0x25 }, 6 },
	{ "vzeroupper", { 0xc5, 0xf8, 0x77 }, 3 },
	{ "vpermq $1,%ymm0,%ymm0", { 0xc4, 0xe3, 0xfd, 0x00, 0xc0, 1 }, 6 },
	{ "vmovdqu64 64(%rdi),%zmm0", { 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x47, 1 }, 7 },
	{ "mov $1,%ax", { 0x66, 0xb8, 1, 0 }, 4 },
	{ "enter", { 0xc8, 1, 0, 0 }, 4 },
	{ "push es", { 0x06 }, 0 },
	{ "short call", { 0x66, 0xe8 }, 0 },
	{ "xbegin", { 0xc7, 0xf8 }, 0 },
	{ "XOP", { 0x8f, 0xe8 }, 0 },
	{ "3DNow!", { 0x0f, 0x0f, 0xc0 }, 0 },
};

static void test_parts(void)
{
	static const uint8_t lea[16] = { 0x48, 0x8d, 0x44, 0x24, 0xf8 };
	static const uint8_t r12[16] = { 0x49, 0x8b, 0x84, 0x24, 0, 1 };
	static const uint8_t far[16] = { 0x0f, 0x84, 1 };
	static const uint8_t rip[16] = { 0x48, 0x83, 0x3d, 4, 0, 0, 0, 1 };
	struct insn insn;

	decode(lea, &insn);
	EQ_I(insn.base, 4);
	EQ_I(insn.displacement, -8);
	decode(r12, &insn);
	EQ_I(insn.base, 12);
	EQ_I(insn.displacement, 256);
	decode(far, &insn);
	EQ_U(insn.relative_at, 2);
	EQ_U(insn.relative_size, 4);
	decode(rip, &insn);
	EQ_U(insn.is_rip, 1);
	EQ_U(insn.displacement_at, 3);
	EQ_U(insn.length, 8);
}

/* "  401000:\t55 48 89 e5\tpush ..." Returns the bytes of the instruction, 0 if it is none. */
static unsigned int read_line(const char *line, uint8_t code[CODE])
{
	const char *at = strchr(line, ':');
	unsigned int n = 0;
	char *end;

	memset(code, 0, CODE);
	if (!at || at[1] != '\t')
		return 0;
	at += 2;
	while (n < 16) {
		unsigned long byte = strtoul(at, &end, 16);
		if (end != at + 2 || *end != ' ')
			break;
		code[n++] = (uint8_t)byte;
		at = end + 1;
	}
	while (*at == ' ')
		at++;
	return *at == '\t' && !strstr(at, "(bad)") && !strstr(at, ".byte") ? n : 0;
}

static void test_file(const char *path)
{
	char command[LINE], line[LINE];
	unsigned long seen = 0, wrong = 0, unknown = 0;
	uint8_t code[CODE];

	snprintf(command, sizeof(command), "objdump -d -w %s 2>/dev/null | head -150000", path);
	FILE *in = popen(command, "r");
	while (in && fgets(line, sizeof(line), in)) {
		unsigned int length = read_line(line, code);
		struct insn insn;
		if (!length)
			continue;
		seen++;
		bool known = decode(code, &insn);
		if (!known && ++unknown <= KEPT)
			printf("# not known: %s", line);
		if (known && insn.length != length && ++wrong <= KEPT)
			printf("# %u: %s", insn.length, line);
	}
	if (in)
		pclose(in);
	if (!seen) {
		skip(path);
		return;
	}
	printf("# %s: %lu instructions, %lu not known\n", path, seen, unknown);
	EQ_U(wrong, 0);
	OK(unknown * 1000 < seen, "hardly any is not known");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct insn insn;
		bool ok = decode(cases[i].code, &insn);
		tap_eq_u(ok ? insn.length : 0, cases[i].length, __FILE__, __LINE__, cases[i].text);
	}
	test_parts();
	test_file("/lib/x86_64-linux-gnu/libc.so.6");
	test_file("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
	test_file("/usr/lib/x86_64-linux-gnu/libgmp.so.10");
	return done_testing();
}
