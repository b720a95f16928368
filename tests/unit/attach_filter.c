/* attach_filter.c -- whether a seccomp filter allows a call is found by running it, whatever those
 * arguments are that are not known; hostile filters are never believed, and never hang.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>

#include "tests/lib/tap.h"

#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define NR LOAD(offsetof(struct seccomp_data, nr))
#define ARG(n) LOAD(offsetof(struct seccomp_data, args) + 8 * (n))
#define ARG_HIGH(n) LOAD(offsetof(struct seccomp_data, args) + 8 * (n) + 4)
#define IF(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, yes, no)

/* Call 9, whose third argument is 7, and whose second one has a high word; the others are not
 * known. */
static const struct filter_call call = { .number = 9, .name = "nine", .known = 6,
					 .argument = { 0, UINT64_C(5) << 32 | 6, 7 } };

#define ALLOWS(...) allows((const struct sock_filter[]){ __VA_ARGS__ }, \
	sizeof((const struct sock_filter[]){ __VA_ARGS__ }) / sizeof(struct sock_filter))

static bool allows(const struct sock_filter *code, size_t count)
{
	return filter_allows(code, count, &call);
}

static void test_answers(void)
{
	IS_TRUE(ALLOWS(ALLOW));
	IS_TRUE(ALLOWS(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG)));
	IS_FALSE(ALLOWS(KILL));
	IS_FALSE(ALLOWS(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1)));
	IS_FALSE(ALLOWS(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)));
	IS_FALSE(ALLOWS(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF)));
	IS_TRUE(ALLOWS(BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_ALLOW),
		       BPF_STMT(BPF_RET | BPF_A, 0)));
}

static void test_may_fail(void)
{
	const struct filter_call optional = { .number = 9, .name = "nine", .may_fail = true };
	const struct sock_filter error = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1);
	const struct sock_filter trap = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	const struct sock_filter kill = KILL;

	IS_TRUE(filter_allows(&error, 1, &optional));
	IS_FALSE(filter_allows(&trap, 1, &optional));
	IS_FALSE(filter_allows(&kill, 1, &optional));
}

static void test_known(void)
{
	IS_TRUE(ALLOWS(NR, IF(9, 0, 1), ALLOW, KILL));
	IS_FALSE(ALLOWS(NR, IF(8, 0, 1), ALLOW, KILL));
	IS_TRUE(ALLOWS(LOAD(4), IF(AUDIT_ARCH_X86_64, 1, 0), KILL, ALLOW));
	IS_TRUE(ALLOWS(ARG(2), IF(7, 0, 1), ALLOW, KILL));
	IS_TRUE(ALLOWS(ARG_HIGH(1), IF(5, 0, 1), ALLOW, KILL));
	IS_TRUE(ALLOWS(ARG(1), BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 1), BPF_STMT(BPF_ST, 3),
		       BPF_STMT(BPF_LD | BPF_IMM, 0), BPF_STMT(BPF_LDX | BPF_MEM, 3),
		       BPF_STMT(BPF_MISC | BPF_TXA, 0), IF(7, 0, 1), ALLOW, KILL));
	IS_FALSE(ALLOWS(ARG(2), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 4, 0, 1), KILL, ALLOW));
	IS_TRUE(ALLOWS(BPF_STMT(BPF_JMP | BPF_JA, 1), KILL, ALLOW));
}

static void test_unknown(void)
{
	IS_TRUE(ALLOWS(ARG(0), IF(1, 0, 1), ALLOW, ALLOW));
	IS_FALSE(ALLOWS(ARG(0), IF(1, 0, 1), ALLOW, KILL));
	IS_FALSE(ALLOWS(ARG(0), IF(1, 0, 1), KILL, ALLOW));
	IS_FALSE(ALLOWS(LOAD(8), IF(1, 0, 1), KILL, ALLOW)); /* where the call is made */
	IS_FALSE(ALLOWS(ARG(0), BPF_STMT(BPF_RET | BPF_A, 0)));
	IS_FALSE(ALLOWS(ARG(0), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 1), IF(1, 0, 1), KILL, ALLOW));
}

static void test_hostile(void)
{
	static struct sock_filter ways[BPF_MAXINSNS];
	size_t i = 0;

	IS_FALSE(allows(ways, 0));
	IS_FALSE(ALLOWS(NR)); /* no end */
	IS_FALSE(ALLOWS(BPF_STMT(BPF_JMP | BPF_JA, UINT32_MAX), ALLOW));
	IS_FALSE(ALLOWS(BPF_STMT(BPF_JMP | BPF_JA, 100), ALLOW));
	IS_FALSE(ALLOWS(IF(0, 255, 255), ALLOW));
	IS_FALSE(ALLOWS(LOAD(64), ALLOW));
	IS_FALSE(ALLOWS(LOAD(3), ALLOW));
	IS_FALSE(ALLOWS(BPF_STMT(BPF_LD | BPF_MEM, 16), ALLOW));
	IS_FALSE(ALLOWS(BPF_STMT(BPF_ST, UINT32_MAX), ALLOW));
	IS_FALSE(ALLOWS(BPF_STMT(0xffff, 0), ALLOW));
	IS_FALSE(ALLOWS(BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0), ALLOW));
	IS_FALSE(ALLOWS(BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), ALLOW)); /* by 0 */

	/* 2^1365 ways, all of which allow it. */
	while (i + 4 < BPF_MAXINSNS) {
		ways[i++] = (struct sock_filter)ARG(0);
		ways[i++] = (struct sock_filter)IF(1, 0, 1);
		ways[i++] = (struct sock_filter)BPF_STMT(BPF_MISC | BPF_TAX, 0);
	}
	ways[i++] = (struct sock_filter)ALLOW;
	IS_FALSE(allows(ways, i));
}

int main(void)
{
	test_answers();
	test_may_fail();
	test_known();
	test_unknown();
	test_hostile();
	return done_testing();
}
