/* rules.c -- the table of collapsed unwind rows.
 *
 * Readers take no lock: an entry's pc is published after its rule, a larger table after it
 * is filled. A replaced table is left alone, since a reader may still be in it; sizes double,
 * so all old ones together are as large as the present one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/rules.h"

#include <stddef.h>

#include "libmemusage/cfi.h"
#include "libmemusage/macros.h"
#include "libmemusage/memory.h"
#include "libmemusage/spin.h"

#define FIRST_LOG2 10

struct rule_table *rules;

static uint32_t lock;
static uint64_t used;

static struct rule_table *new_table(unsigned int log2)
{
	struct rule_table *table =
		memory_map(sizeof(*table) + (sizeof(struct rule_entry) << log2));

	if (!table)
		return NULL;
	table->mask = (UINT64_C(1) << log2) - 1;
	table->shift = 64 - log2;
	return table;
}

static void insert(struct rule_table *table, uint64_t pc, struct rule rule)
{
	uint64_t i = pc * UINT64_C(0x9E3779B97F4A7C15) >> table->shift;

	while (table->entry[i].pc && table->entry[i].pc != pc)
		i = (i + 1) & table->mask;
	table->entry[i].rule = rule;
	__atomic_store_n(&table->entry[i].pc, pc, __ATOMIC_RELEASE);
}

/* Under the lock. */
static void grow(void)
{
	struct rule_table *bigger = new_table(65 - rules->shift);

	if (!bigger)
		return;
	for (uint64_t i = 0; i <= rules->mask; i++)
		if (rules->entry[i].pc)
			insert(bigger, rules->entry[i].pc, rules->entry[i].rule);
	__atomic_store_n(&rules, bigger, __ATOMIC_RELEASE);
}

static bool fits32(int64_t value)
{
	return value == (int32_t)value;
}

/* DW_OP_breg6 offset, optionally dereferenced: gcc's way to say *(rbp + offset). */
static bool is_bp_plus(const uint8_t *expression, bool deref, int64_t *offset)
{
	unsigned int length = expression[0];
	unsigned int i = 2;
	uint64_t value = 0;
	unsigned int shift = 0;

	if (length < 2 || length > 8 || expression[1] != 0x70 + CFI_BP)
		return false;
	do {
		value |= (uint64_t)(expression[i] & 0x7f) << shift;
		shift += 7;
	} while (expression[i++] & 0x80 && i <= length);
	if (expression[i - 1] & 0x40 && shift < 64)
		value |= ~UINT64_C(0) << shift;
	*offset = (int64_t)value;
	return deref ? i == length && expression[i] == 0x06 : i == length + 1;
}

static bool collapse_cfa(const struct cfi_row *row, struct rule *rule)
{
	int64_t offset = row->cfa_offset;

	if (row->cfa_register == CFI_SP)
		rule->type = RULE_SP;
	else if (row->cfa_register == CFI_BP)
		rule->type = RULE_BP;
	else if (row->cfa_expression && is_bp_plus(row->cfa_expression, true, &offset))
		rule->type = RULE_DRAP;
	else
		return false;
	rule->cfa = (int32_t)offset;
	return fits32(offset);
}

static bool collapse_bp(const struct cfi_rule *bp, struct rule *rule)
{
	int64_t offset = bp->offset;

	if (bp->kind == CFI_SAME || bp->kind == CFI_UNDEFINED) {
		rule->bp_kind = RULE_BP_SAME;
		return true;
	}
	if (bp->kind == CFI_AT_CFA)
		rule->bp_kind = RULE_BP_AT_CFA;
	else if (bp->kind == CFI_AT_EXPRESSION && is_bp_plus(bp->expression, false, &offset))
		rule->bp_kind = RULE_BP_AT_BP;
	else
		return false;
	rule->bp = (int16_t)offset;
	return offset == (int16_t)offset;
}

static struct rule collapse(uint64_t pc)
{
	struct rule rule = { .type = RULE_SLOW };
	struct cfi_row row;

	/* A signal handler returns to the first byte of its trampoline, not after a call. */
	bool at_start = cfi_find(pc, &row);
	if (at_start && row.is_signal)
		return rule;
	/* So does a coroutine's function, to makecontext's, which nothing called: what the tables
	 * of glibc 2.36 give as its return address is uc_link. */
	if (!cfi_find(pc - 1, &row))
		return (struct rule){ .type = at_start ? RULE_END : RULE_NONE };
	if (row.reg[CFI_RA].kind == CFI_UNDEFINED)
		return (struct rule){ .type = RULE_END };
	if (row.reg[CFI_RA].kind != CFI_AT_CFA || row.reg[CFI_RA].offset != -8)
		return rule;
	struct rule quick = rule;
	return collapse_cfa(&row, &quick) && collapse_bp(&row.reg[CFI_BP], &quick) ? quick : rule;
}

/* A request of Valgrind's macros: the stack goes on as that of the function with the request, of
 * which the stub keeps clear by the red zone. */
static struct rule collapse_request(uint64_t behind)
{
	struct rule rule = collapse(behind);

	if (rule.type == RULE_SP)
		rule.cfa += (int32_t)MACROS_RED_ZONE;
	return rule;
}

bool rules_init(void)
{
	if (!rules)
		rules = new_table(FIRST_LOG2);
	return rules != NULL;
}

struct rule rules_make(uint64_t pc)
{
	uint64_t behind = macros_behind(pc);
	struct rule rule = behind == pc ? collapse(pc) : collapse_request(behind);

	if (!spin_lock(&lock))
		return rule;
	if (used * 2 > rules->mask)
		grow();
	if (used < rules->mask) {
		insert(rules, pc, rule);
		used++;
	}
	spin_unlock(&lock);
	return rule;
}

void rules_forget(void)
{
	if (!spin_lock(&lock))
		return;
	struct rule_table *empty = new_table(64 - rules->shift);
	if (empty) {
		__atomic_store_n(&rules, empty, __ATOMIC_RELEASE);
		used = 0;
	}
	spin_unlock(&lock);
}

void rules_forget_locks(void)
{
	lock = 0;
}
