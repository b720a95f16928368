/* recorder_rules.c -- after objects were closed no rule of before is found, whoever holds the lock of
 * the table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/unwind/cfi.h"
#include "libmemusage/unwind/rules.h"
#include "tests/lib/recorder.h"

enum { ADDRESSES = 5000 };

/* Of no object: the rule is RULE_NONE, and kept like any other. */
static uint64_t address(uint64_t i)
{
	return UINT64_C(0x10000) + i * 16;
}

static uint64_t known(uint64_t from, uint64_t to)
{
	uint64_t count = 0;

	for (uint64_t i = from; i < to; i++)
		count += rules_of(address(i)).type != RULE_UNKNOWN;
	return count;
}

/* Returns how many could be kept. */
static uint64_t make(uint64_t from, uint64_t to)
{
	static struct cfi_workspace work;
	uint64_t kept = 0;

	for (uint64_t i = from; i < to; i++)
		kept += rules_make(address(i), &work);
	return kept;
}

static void forget_with_lock(uint32_t lock)
{
	EQ_U(make(0, ADDRESSES), ADDRESSES);
	EQ_U(known(0, ADDRESSES), ADDRESSES);
	locks.rules = lock;
	rules_forget();
	EQ_U(known(0, ADDRESSES), 0);
	/* They are kept as soon as that is possible again. */
	EQ_U(make(0, 10), lock ? 0 : 10);
	EQ_U(known(0, 10), lock ? 0 : 10);
	locks.rules = 0;
	EQ_U(make(ADDRESSES, 2 * ADDRESSES), ADDRESSES);
	EQ_U(known(ADDRESSES, 2 * ADDRESSES), ADDRESSES);
	EQ_U(known(10, ADDRESSES), 0);
	rules_forget();
	EQ_U(known(0, 2 * ADDRESSES), 0);
}

int main(void)
{
	recorder_image(UINT64_C(1) << 24, MU_CFG_STACKS);
	cfi_init();
	EQ_U(rules_init(), true);
	forget_with_lock(0);
	forget_with_lock(SPIN_BROKEN); /* its holder did not come back */
	forget_with_lock(1);
	return done_testing();
}
