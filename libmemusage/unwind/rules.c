/* rules.c -- the table of collapsed unwind rows.
 *
 * Readers take no lock: an entry is published after its form, a larger table after it is filled. A
 * replaced table stays mapped, since a reader may still use it; sizes double, so all old tables
 * together are as large as the present one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/rules.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/unwind/cfi.h"
#include "libmemusage/unwind/patched_pc.h"
#include "libmemusage/unwind/trampoline.h"

#define FIRST_LOG2 10
#define FORMS_FIRST 64u

struct rules rules;

/* The table of readers from rules_forget() to the next rule that is made under the lock. */
static const struct rule_table nothing = { .mask = 1, .shift = 63, .entry = { 0, 0 } };

static struct rule_table *allocate_table(unsigned int log2)
{
	struct rule_table *table = memory_map(sizeof(*table) + (sizeof(table->entry[0]) << log2));

	if (!table)
		return NULL;
	table->mask = (UINT64_C(1) << log2) - 1;
	table->shift = 64 - log2;
	return table;
}

static void insert_entry(struct rule_table *to, uint64_t entry)
{
	uint64_t pc = entry >> RULE_FORM_BITS;
	uint64_t i = pc * UINT64_C(0x9E3779B97F4A7C15) >> to->shift;

	while (to->entry[i] && to->entry[i] >> RULE_FORM_BITS != pc)
		i = (i + 1) & to->mask;
	__atomic_store_n(&to->entry[i], entry, __ATOMIC_RELEASE);
}

/* Under the lock. Readers get the larger table unless all rules are being forgotten now. */
static void grow_rule_table(void)
{
	struct rule_table *bigger = allocate_table(65 - rules.filled->shift);
	const struct rule_table *old = rules.filled;

	if (!bigger)
		return;
	for (uint64_t i = 0; i <= rules.filled->mask; i++)
		if (rules.filled->entry[i])
			insert_entry(bigger, rules.filled->entry[i]);
	__atomic_compare_exchange_n(&rules.table, &old, bigger, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	rules.filled = bigger;
}

/* Under the lock. */
static void clear_rule_table(void)
{
	for (uint64_t i = 0; i <= rules.filled->mask; i++)
		__atomic_store_n(&rules.filled->entry[i], 0, __ATOMIC_RELAXED);
	rules.used = 0;
	__atomic_store_n(&rules.table, rules.filled, __ATOMIC_RELEASE);
}

static bool grow_forms(void)
{
	uint32_t room = rules.form_room ? 2 * rules.form_room : FORMS_FIRST;
	struct rule *bigger = memory_map(room * sizeof(*bigger));

	if (!bigger)
		return false;
	for (uint32_t i = 0; i < rules.forms; i++)
		bigger[i] = rules.form[i];
	__atomic_store_n(&rules.form, bigger, __ATOMIC_RELEASE);
	rules.form_room = room;
	return true;
}

/* Under the lock. Finds the number of a form of rule; returns false if there is no room for it. */
static bool find_or_add_form(struct rule rule, uint64_t *form)
{
	for (*form = 0; *form < rules.forms; ++*form)
		if (memcmp(&rules.form[*form], &rule, sizeof(rule)) == 0)
			return true;
	if (rules.forms > RULE_FORM_MASK || (rules.forms == rules.form_room && !grow_forms()))
		return false;
	rules.form[rules.forms++] = rule;
	return true;
}

static bool fits_in_32_bits(int64_t value)
{
	return value == (int32_t)value;
}

/* DW_OP_breg6 offset, optionally dereferenced: gcc's form of *(rbp + offset). */
static bool is_bp_plus_offset(const uint8_t *expression, bool deref, int64_t *offset)
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

static bool collapse_cfa_rule(const struct cfi_row *row, struct rule *rule)
{
	int64_t offset = row->cfa_offset;

	if (row->cfa_register == CFI_SP)
		rule->type = RULE_SP;
	else if (row->cfa_register == CFI_BP)
		rule->type = RULE_BP;
	else if (row->cfa_expression && is_bp_plus_offset(row->cfa_expression, true, &offset))
		rule->type = RULE_DRAP;
	else
		return false;
	rule->cfa = (int32_t)offset;
	return fits_in_32_bits(offset);
}

static bool collapse_bp_rule(const struct cfi_rule *bp, struct rule *rule)
{
	int64_t offset = bp->offset;

	if (bp->kind == CFI_SAME || bp->kind == CFI_UNDEFINED) {
		rule->bp_kind = RULE_BP_SAME;
		return true;
	}
	if (bp->kind == CFI_AT_CFA)
		rule->bp_kind = RULE_BP_AT_CFA;
	else if (bp->kind == CFI_AT_EXPRESSION && is_bp_plus_offset(bp->expression, false, &offset))
		rule->bp_kind = RULE_BP_AT_BP;
	else
		return false;
	rule->bp = (int16_t)offset;
	return offset == (int16_t)offset;
}

/* Returns the rule for code without unwind tables. */
static struct rule make_untabled_rule(uint64_t pc)
{
	uint32_t size;

	if (!trampoline_frame_size(pc, &size))
		return (struct rule){ .type = RULE_NONE };
	return (struct rule){ .type = RULE_SP, .cfa = (int32_t)size + 8 };
}

static struct rule collapse_row(uint64_t pc, struct cfi_workspace *work)
{
	struct rule rule = { .type = RULE_SLOW };
	const struct cfi_row *row = cfi_find(pc, work);
	bool at_start = row != NULL;

	/* A signal handler returns to the first byte of its trampoline, not after a call. */
	if (at_start && row->is_signal)
		return rule;
	/* So does a coroutine's function to that of makecontext(), which nothing called: the return
	 * address in the tables of glibc 2.36 is uc_link. */
	row = cfi_find(pc - 1, work);
	if (!row)
		return at_start ? (struct rule){ .type = RULE_END } : make_untabled_rule(pc);
	const struct cfi_rule *ra = &row->reg[CFI_RA];
	if (ra->kind == CFI_UNDEFINED)
		return (struct rule){ .type = RULE_END };
	if (ra->kind != CFI_AT_CFA || ra->offset != -8)
		return rule;
	struct rule quick = rule;
	bool ok = collapse_cfa_rule(row, &quick) && collapse_bp_rule(&row->reg[CFI_BP], &quick);
	return ok ? quick : rule;
}

/* A request of Valgrind's macros: the caller of the stub is the function with the request, below
 * whose red zone the stub has its frame. */
static struct rule collapse_request_row(uint64_t behind, struct cfi_workspace *work)
{
	struct rule rule = collapse_row(behind, work);

	if (rule.type == RULE_SP)
		rule.cfa += (int32_t)PATCHED_RED_ZONE;
	return rule;
}

bool rules_init(void)
{
	if (!rules.table && grow_forms())
		rules.table = rules.filled = allocate_table(FIRST_LOG2);
	return rules.table != NULL;
}

bool rules_make(uint64_t pc, struct cfi_workspace *work)
{
	uint64_t before = __atomic_load_n(&rules.forgotten, __ATOMIC_ACQUIRE);
	uint64_t behind = patched_pc_behind(pc);
	struct rule rule = behind == pc ? collapse_row(pc, work)
					: collapse_request_row(behind, work);
	bool has_room = false;
	uint64_t form;

	if (!spin_lock(&locks.rules))
		return false;
	if (rules.table == &nothing)
		clear_rule_table();
	if (rules.used * 4 > rules.filled->mask * 3)
		grow_rule_table();
	/* A rule that was made before may be of another object. */
	if (rules.used < rules.filled->mask && find_or_add_form(rule, &form) &&
	    before == __atomic_load_n(&rules.forgotten, __ATOMIC_ACQUIRE)) {
		insert_entry(rules.filled, pc << RULE_FORM_BITS | form);
		rules.used++;
		has_room = true;
	}
	spin_unlock(&locks.rules);
	return has_room;
}

/* Without the lock the table is not emptied now, but no thread uses it before it is. A look-up that
 * began earlier finds its address, or makes its rule again after this. */
void rules_forget(void)
{
	__atomic_fetch_add(&rules.forgotten, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&rules.table, &nothing, __ATOMIC_SEQ_CST);
	if (!spin_lock(&locks.rules))
		return;
	clear_rule_table();
	spin_unlock(&locks.rules);
}
