/* rules.c -- the table of collapsed unwind rows.
 *
 * Readers take no lock: an entry is published after its form, a larger table after it is filled. A
 * replaced table is left alone, since a reader may still be in it; sizes double, so all old ones
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

#define FIRST_LOG2 10
#define FORMS_FIRST 64u

struct rule_table *rules;
struct rule *rule_forms;

/* What readers have from rules_forget() to the next rule that is made under the lock. */
static struct rule_table nothing = { .mask = 1, .shift = 63, .entry = { 0, 0 } };
/* Under the lock, but for `forgotten`. */
static struct {
	struct rule_table *table; /* where rules are put */
	uint64_t used;		  /* entries of it */
	uint64_t forgotten;	  /* how often all rules were */
	uint32_t forms, form_room;
} filled;

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

/* Under the lock. Readers get it unless all rules are being forgotten just now. */
static void grow_rule_table(void)
{
	struct rule_table *bigger = allocate_table(65 - filled.table->shift), *old = filled.table;

	if (!bigger)
		return;
	for (uint64_t i = 0; i <= filled.table->mask; i++)
		if (filled.table->entry[i])
			insert_entry(bigger, filled.table->entry[i]);
	__atomic_compare_exchange_n(&rules, &old, bigger, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	filled.table = bigger;
}

/* Under the lock. */
static void clear_rule_table(void)
{
	for (uint64_t i = 0; i <= filled.table->mask; i++)
		__atomic_store_n(&filled.table->entry[i], 0, __ATOMIC_RELAXED);
	filled.used = 0;
	__atomic_store_n(&rules, filled.table, __ATOMIC_RELEASE);
}

static bool grow_forms(void)
{
	uint32_t room = filled.form_room ? 2 * filled.form_room : FORMS_FIRST;
	struct rule *bigger = memory_map(room * sizeof(*bigger));

	if (!bigger)
		return false;
	for (uint32_t i = 0; i < filled.forms; i++)
		bigger[i] = rule_forms[i];
	__atomic_store_n(&rule_forms, bigger, __ATOMIC_RELEASE);
	filled.form_room = room;
	return true;
}

/* Under the lock. The number of a form of rule; false if there can be no more of them. */
static bool find_or_add_form(struct rule rule, uint64_t *form)
{
	for (*form = 0; *form < filled.forms; ++*form)
		if (memcmp(&rule_forms[*form], &rule, sizeof(rule)) == 0)
			return true;
	if (filled.forms > RULE_FORM_MASK || (filled.forms == filled.form_room && !grow_forms()))
		return false;
	rule_forms[filled.forms++] = rule;
	return true;
}

static bool fits_in_32_bits(int64_t value)
{
	return value == (int32_t)value;
}

/* DW_OP_breg6 offset, optionally dereferenced: gcc's way to say *(rbp + offset). */
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

static struct rule collapse_row(uint64_t pc, struct cfi_workspace *work)
{
	struct rule rule = { .type = RULE_SLOW };
	const struct cfi_row *row = cfi_find(pc, work);
	bool at_start = row != NULL;

	/* A signal handler returns to the first byte of its trampoline, not after a call. */
	if (at_start && row->is_signal)
		return rule;
	/* So does a coroutine's function, to makecontext's, which nothing called: what the tables
	 * of glibc 2.36 give as its return address is uc_link. */
	row = cfi_find(pc - 1, work);
	if (!row)
		return (struct rule){ .type = at_start ? RULE_END : RULE_NONE };
	const struct cfi_rule *ra = &row->reg[CFI_RA];
	if (ra->kind == CFI_UNDEFINED)
		return (struct rule){ .type = RULE_END };
	if (ra->kind != CFI_AT_CFA || ra->offset != -8)
		return rule;
	struct rule quick = rule;
	bool ok = collapse_cfa_rule(row, &quick) && collapse_bp_rule(&row->reg[CFI_BP], &quick);
	return ok ? quick : rule;
}

/* A request of Valgrind's macros: the stack goes on as that of the function with the request, of
 * which the stub keeps clear by the red zone. */
static struct rule collapse_request_row(uint64_t behind, struct cfi_workspace *work)
{
	struct rule rule = collapse_row(behind, work);

	if (rule.type == RULE_SP)
		rule.cfa += (int32_t)PATCHED_RED_ZONE;
	return rule;
}

bool rules_init(void)
{
	if (!rules && grow_forms())
		rules = filled.table = allocate_table(FIRST_LOG2);
	return rules != NULL;
}

bool rules_make(uint64_t pc, struct cfi_workspace *work)
{
	uint64_t before = __atomic_load_n(&filled.forgotten, __ATOMIC_ACQUIRE);
	uint64_t behind = patched_pc_behind(pc);
	struct rule rule = behind == pc ? collapse_row(pc, work)
					: collapse_request_row(behind, work);
	bool has_room = false;
	uint64_t form;

	if (!spin_lock(&locks.rules))
		return false;
	if (rules == &nothing)
		clear_rule_table();
	if (filled.used * 4 > filled.table->mask * 3)
		grow_rule_table();
	/* A rule of before may be another object's. */
	if (filled.used < filled.table->mask && find_or_add_form(rule, &form) &&
	    before == __atomic_load_n(&filled.forgotten, __ATOMIC_ACQUIRE)) {
		insert_entry(filled.table, pc << RULE_FORM_BITS | form);
		filled.used++;
		has_room = true;
	}
	spin_unlock(&locks.rules);
	return has_room;
}

/* Without the lock the table stays as it is, but nobody looks in it before it is emptied. Who began
 * to look before finds his address, or has its rule made again, after this. */
void rules_forget(void)
{
	__atomic_fetch_add(&filled.forgotten, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&rules, &nothing, __ATOMIC_SEQ_CST);
	if (!spin_lock(&locks.rules))
		return;
	clear_rule_table();
	spin_unlock(&locks.rules);
}
