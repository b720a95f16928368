/* rules.h -- return address -> how to step to the caller, in one word.
 *
 * Compilers use few forms of unwind rows; each is collapsed into 64 bits, once per return address,
 * and stored in a table that grows with the program. A row that does not collapse is marked and
 * left to the slow step (walk_slow.c).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/export.h"

struct cfi_workspace;

/* How the caller's frame address (CFA) is found. sp is the address after the return
 * address's slot. */
enum rule_type {
	RULE_NONE = 0, /* no unwind information: try the frame pointer */
	RULE_SP,       /* CFA = sp + cfa */
	RULE_BP,       /* CFA = bp + cfa */
	RULE_DRAP,     /* CFA = *(bp + cfa): gcc's realigned frames */
	RULE_END,      /* outermost frame */
	RULE_SLOW,     /* needs other registers, or is a signal frame */
	RULE_UNKNOWN   /* not in the table */
};

/* Where the caller's bp is. */
enum rule_bp { RULE_BP_SAME = 0, RULE_BP_AT_CFA, RULE_BP_AT_BP };

struct rule {
	int32_t cfa;
	int16_t bp;	 /* offset for bp_kind */
	uint8_t type;	 /* enum rule_type */
	uint8_t bp_kind; /* enum rule_bp */
};

/* An entry holds an address and the number of a form of rule in one word: a small table causes
 * fewer cache misses, and programs have some hundred forms of rules for 100,000 addresses. */
#define RULE_FORM_BITS 16
#define RULE_FORM_MASK ((UINT64_C(1) << RULE_FORM_BITS) - 1)

struct rule_table {
	uint64_t mask;
	uint32_t shift;
	uint32_t reserved;
	uint64_t entry[]; /* address << RULE_FORM_BITS | form; 0: empty */
};

/* Readers use the first two members, without a lock; rules.c changes all of it under its lock, but
 * for `forgotten`. */
struct rules {
	const struct rule_table *table;
	struct rule *form; /* by number */
	struct rule_table *filled; /* where rules are put; `table`, unless all are forgotten */
	uint64_t used;		   /* entries of it */
	uint64_t forgotten;	   /* how often all rules were */
	uint32_t forms, form_room;
};

extern HIDDEN struct rules rules;

/* rules_init -- make the table. Returns false without memory. */
bool rules_init(void);

/* rules_make -- compute the rule for a return address and add it to the table.
 *
 * pc    one for which rules_of() says RULE_UNKNOWN.
 * work  as for cfi_find().
 * Returns false if the table has no room for it: rules_of() will not know it.
 * Async-signal-safe. Cost 1-4 us, once per address.
 */
bool rules_make(uint64_t pc, struct cfi_workspace *work);

/* rules_forget -- objects were closed: addresses may mean something else now.
 *
 * Thread-safe: other threads may use old rules for their present event. Needs no memory, nor the
 * lock of the table. Cost less than 1 ns for each entry of the table.
 */
void rules_forget(void);

/* rules_of -- return the rule for a return address, RULE_UNKNOWN if it has not been made yet.
 *
 * Async-signal-safe. Cost 1-2 ns.
 */
static inline struct rule rules_of(uint64_t pc)
{
	const struct rule_table *table = __atomic_load_n(&rules.table, __ATOMIC_ACQUIRE);
	uint64_t i = pc * UINT64_C(0x9E3779B97F4A7C15) >> table->shift;
	uint64_t found;

	while ((found = __atomic_load_n(&table->entry[i], __ATOMIC_ACQUIRE))) {
		if (likely(found >> RULE_FORM_BITS == pc))
			return __atomic_load_n(&rules.form,
					       __ATOMIC_ACQUIRE)[found & RULE_FORM_MASK];
		i = (i + 1) & table->mask;
	}
	/* No code has so high an address, and an entry has no room for it. */
	return (struct rule){ .type = pc >> (64 - RULE_FORM_BITS) ? RULE_NONE : RULE_UNKNOWN };
}
