/* allocsyms.c -- where in a file the functions are that --alloc-symbol names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/allocsyms.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/names/funcname.h"
#include "profile/symbols/demangle.h"
#include "profile/symbols/module_file.h"

enum { FOUND_MAX = 4096, OWN_NAMES = 4 };

/* One function, whatever tables have it. */
struct hit {
	struct mu_symbol_match found;
	const char *name;	/* in the file; the text that was asked for if there is none */
	char *text;		/* owned copy */
	const char *why;	/* NULL: fine */
};

struct alloc_search {
	const struct allocrule *rule;
	size_t rules;
	bool has_auto;
	bool is_clang;
	struct module_file file;
	struct hit *hit;
	uint32_t count, room;
	bool exports_malloc;	/* the recorder intercepts it already */
	unsigned int own_names;	/* of libc's first few functions, in no export */
	bool is_own_pass;
};

/* ---- what speaks against a function -------------------------------------------------------- */

static const char *refusal_reason(const struct alloc_search *s, const struct elf_symbol *symbol,
				  const char *name)
{
	if (symbol->type == STT_GNU_IFUNC)
		return "which code it is is decided when the program starts (ifunc)";
	if (symbol->type != STT_FUNC || !elf_file_is_code(&s->file.elf, symbol->address))
		return "it is not a function";
	if (symbol->size == 0)
		return "the symbol table does not say how long it is";
	if (funcname_is_clone(name))
		return "it is a clone that the compiler made, with arguments of its own";
	if (symbol->binding == STB_LOCAL && symbol->visibility == STV_DEFAULT && s->is_clang)
		return "it is static, and clang may have changed its arguments; make it external";
	return NULL;
}

static struct hit *find_hit_at(struct alloc_search *s, uint64_t address)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->hit[i].found.address == address)
			return &s->hit[i];
	return NULL;
}

static struct hit *append_new_hit(struct alloc_search *s)
{
	if (s->count == FOUND_MAX)
		return NULL;
	array_reserve(&s->hit, &s->room, s->count + 1, sizeof(*s->hit));
	s->hit[s->count] = (struct hit){ .text = NULL };
	return &s->hit[s->count++];
}

static void add_symbol_match(struct alloc_search *s, const struct elf_symbol *symbol,
			     const struct mu_symbol_match *found, const char *why)
{
	struct hit *hit = find_hit_at(s, symbol->address);
	size_t length = funcname_length(symbol->name);

	/* Prefers the name that the user gave, then one that can be intercepted. */
	if (hit && (hit->found.kind > found->kind ||
		    (hit->found.kind == found->kind && (!hit->why || why))))
		return;
	if (!hit && !(hit = append_new_hit(s)))
		return;
	free(hit->text);
	*hit = (struct hit){ .found = *found, .text = xstrndup(symbol->name, length), .why = why };
}

/* ---- names ---------------------------------------------------------------------------------- */

static void offer_candidate(struct alloc_search *s, const struct elf_symbol *symbol,
			    const char *name, const struct mu_signature *signature, uint32_t kind,
			    uint32_t rule)
{
	const struct mu_symbol_match found = { .address = symbol->address, .size = symbol->size,
					.signature = *signature, .kind = kind, .rule = rule };

	add_symbol_match(s, symbol, &found, refusal_reason(s, symbol, name));
}

static void match_rules(struct alloc_search *s, const struct elf_symbol *symbol, const char *name)
{
	char *demangled = NULL;
	bool is_demangled = false;

	for (size_t i = 0; i < s->rules; i++) {
		const struct allocrule *rule = &s->rule[i];
		bool is_it = !rule->is_auto && funcname_is(name, rule->name);

		if (!is_it && !rule->is_auto && funcname_may_be(name, rule->name)) {
			if (!is_demangled)
				demangled = demangle(name);
			is_demangled = true;
			is_it = demangled && funcname_is_source(demangled, rule->name);
		}
		if (is_it) {
			offer_candidate(s, symbol, name, &rule->signature, MU_SYMBOL_NAMED,
					(uint32_t)i);
			break;
		}
	}
	free(demangled);
}

static void visit_symbol(const struct elf_symbol *symbol, void *data)
{
	struct alloc_search *s = data;
	size_t length = funcname_length(symbol->name);
	char name[ALLOCRULE_NAME_MAX];
	const struct mu_signature *signature;

	if (length >= sizeof(name) || symbol->address == 0 || symbol->type == STT_OBJECT ||
	    symbol->type == STT_TLS || symbol->type == STT_SECTION)
		return;
	memcpy(name, symbol->name, length);
	name[length] = '\0';
	if (s->has_auto) {
		signature = allocrule_known(name);
		if (signature && symbol->type != STT_NOTYPE)
			offer_candidate(s, symbol, name, signature, MU_SYMBOL_FAMILY, 0);
	}
	match_rules(s, symbol, name);
}

/* ---- a malloc that is not exported --------------------------------------------------------- */

static void note_exported_name(const struct elf_symbol *symbol, void *data)
{
	struct alloc_search *s = data;

	if (funcname_is(symbol->name, "malloc"))
		s->exports_malloc = true;
}

/* A static function may have any of these names: only all of the first together are believed. */
static void visit_builtin_symbol(const struct elf_symbol *symbol, void *data)
{
	struct alloc_search *s = data;

	for (unsigned int i = 0; symbol->type == STT_FUNC && i < MU_FAMILY_LIBC; i++) {
		if (!funcname_is(symbol->name, mu_family_libc[i].name))
			continue;
		if (i < OWN_NAMES)
			s->own_names |= 1u << i;
		if (s->is_own_pass)
			offer_candidate(s, symbol, mu_family_libc[i].name,
					&mu_family_libc[i].signature, MU_SYMBOL_FAMILY, 0);
	}
}

static void find_builtin_malloc(struct alloc_search *s)
{
	elf_file_symbols(&s->file.elf, SHT_DYNSYM, note_exported_name, s);
	if (s->exports_malloc)
		return;
	module_file_symbols(&s->file, visit_builtin_symbol, s);
	s->is_own_pass = s->own_names == (1u << OWN_NAMES) - 1;
	if (s->is_own_pass)
		module_file_symbols(&s->file, visit_builtin_symbol, s);
}

/* ---- everything ----------------------------------------------------------------------------- */

/* Refuses functions that share a name: the one meant is unknown. Clones count for the reason
 * only. */
static void refuse_ambiguous(struct alloc_search *s)
{
	uint32_t *same = xcalloc(s->rules + 1, sizeof(*same)); /* functions, by rule */

	for (uint32_t i = 0; i < s->count; i++)
		if (s->hit[i].found.kind == MU_SYMBOL_NAMED && !funcname_is_clone(s->hit[i].text))
			same[s->hit[i].found.rule]++;
	for (uint32_t i = 0; i < s->count; i++)
		if (s->hit[i].found.kind == MU_SYMBOL_NAMED && !s->hit[i].why &&
		    same[s->hit[i].found.rule] > 1)
			s->hit[i].why = "several functions have this name; give the mangled one, "
					"which nm prints";
	free(same);
}

static void append_answer_text(uint8_t *answer, size_t *at, uint32_t *place, const char *text)
{
	size_t length = strlen(text) + 1;

	memcpy(answer + *at, text, length);
	*place = (uint32_t)*at;
	*at += length;
}

static void build_answer(const struct alloc_search *s, struct allocsyms *a)
{
	uint64_t count = s->count;
	size_t texts = sizeof(count) + (size_t)count * sizeof(struct mu_symbol_match);
	size_t length = texts;

	for (uint32_t i = 0; i < s->count; i++)
		length += strlen(s->hit[i].text) + 1 +
			  (s->hit[i].why ? strlen(s->hit[i].why) + 1 : 0);
	a->length = (length + 8) & ~(size_t)7;
	a->answer = xcalloc(1, a->length);
	memcpy(a->answer, &count, sizeof(count));
	for (uint32_t i = 0; i < s->count; i++) {
		struct hit *hit = &s->hit[i];

		append_answer_text(a->answer, &texts, &hit->found.name, hit->text);
		if (hit->why)
			append_answer_text(a->answer, &texts, &hit->found.why, hit->why);
		memcpy(a->answer + sizeof(count) + i * sizeof(hit->found), &hit->found,
		       sizeof(hit->found));
	}
}

static bool was_made_by_clang(const struct elf_file *f)
{
	struct elf_section comment;

	return elf_file_section(f, ".comment", &comment) && comment.data &&
	       memmem(comment.data, comment.size, "clang version", 13);
}

int allocsyms_find(struct allocsyms *a, const struct symbols_module *module,
		   const struct symbols_options *o, const struct allocrule *rule, size_t count,
		   struct mu_error *err)
{
	struct alloc_search s = { .rule = rule, .rules = count };
	int result = -1;

	*a = (struct allocsyms){ .length = 0 };
	for (size_t i = 0; i < count; i++)
		s.has_auto |= rule[i].is_auto;
	if (module_file_open(&s.file, module, o->root, o->debuginfod, MODULE_FILE_SYMBOLS, err) !=
	    SYMBOLS_READ)
		goto out;
	s.is_clang = was_made_by_clang(&s.file.elf);
	module_file_symbols(&s.file, visit_symbol, &s);
	if (s.has_auto)
		find_builtin_malloc(&s);
	refuse_ambiguous(&s);
	build_answer(&s, a);
	result = 0;
out:
	module_file_close(&s.file);
	for (uint32_t i = 0; i < s.count; i++)
		free(s.hit[i].text);
	free(s.hit);
	return result;
}

void allocsyms_free(struct allocsyms *a)
{
	free(a->answer);
	*a = (struct allocsyms){ .length = 0 };
}
