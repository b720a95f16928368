/* profile_allocrule.c -- what --alloc-symbol says is understood or refused, known allocators'
 * functions are known, and symbols are matched with the names that people write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/allocrule.h"

#include <stdio.h>
#include <string.h>

#include "profile/names/funcname.h"
#include "tests/lib/tap.h"

static void test_rules(void)
{
	static const struct {
		const char *text, *name;
		uint8_t size, count, block, result;
	} good[] = {
		{ "f", "f", 1, 0, 0, 0 },
		{ "f:size=arg2", "f", 2, 0, 0, 0 },
		{ "f:size=arg2*arg6", "f", 2, 6, 0, 0 },
		{ "f:ptr=*arg1,size=arg3", "f", 3, 0, 0, 1 },
		{ "f:old=arg1,size=arg2,ptr=ret", "f", 2, 0, 1, 0 },
		{ "a::b(int, c::d):size=arg2", "a::b(int, c::d)", 2, 0, 0, 0 },
		{ "a::b", "a::b", 1, 0, 0, 0 },
		{ "a name", "a name", 1, 0, 0, 0 },
		{ "automatic", "automatic", 1, 0, 0, 0 },
	};
	static const char *const bad[] = {
		"", ":size=arg1", "f:", "f:size=", "f:size=arg", "f:size=arg0", "f:size=arg7",
		"f:size=arg12", "f:size=arg1*", "f:size=arg1*2", "f:size=1", "f:ptr=arg1",
		"f:ptr=*", "f:ptr=ret,", "f:ptr=retx", "f:what", "f:old=ret", "f:size=arg1 ",
	};
	struct allocrule rule;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		EQ_S(allocrule_parse(&rule, good[i].text, false), NULL);
		EQ_S(rule.name, good[i].name);
		EQ_U(rule.signature.size, good[i].size);
		EQ_U(rule.signature.count, good[i].count);
		EQ_U(rule.signature.block, good[i].block);
		EQ_U(rule.signature.result, good[i].result);
		EQ_U(rule.signature.fn, MU_FN_MALLOC);
		EQ_U(rule.is_auto, 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		IS_TRUE(allocrule_parse(&rule, bad[i], false) != NULL);
	EQ_S(allocrule_parse(&rule, "auto", false), NULL);
	EQ_U(rule.is_auto, 1);
	IS_TRUE(allocrule_parse(&rule, "auto", true) != NULL);
	EQ_S(allocrule_parse(&rule, "f:ptr=arg3", true), NULL);
	EQ_U(rule.signature.block, 3);
	EQ_U(rule.signature.fn, MU_FN_FREE);
	IS_TRUE(allocrule_parse(&rule, "f:size=arg1", true) != NULL);
	IS_TRUE(allocrule_parse(&rule, "f:ptr=ret", true) != NULL);
}

static void test_known(void)
{
	static const char *const known[] = { "je_malloc", "_rjem_realloc", "_rjem_mallocx",
					     "mi_free", "mi_heap_calloc", "tc_new",
					     "tc_posix_memalign", "rpmalloc", "rpposix_memalign" };
	static const char *const unknown[] = { "malloc", "je_", "je_mallocs", "_rjem_je_malloc",
					       "mi__Znwm", "rp", "rpfrees", "" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		IS_TRUE(allocrule_known(known[i]) != NULL);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		IS_TRUE(allocrule_known(unknown[i]) == NULL);
	EQ_U(allocrule_known("mi_heap_calloc")->size, 2);
	EQ_U(allocrule_known("mi_heap_calloc")->count, 3);
	EQ_U(allocrule_known("rprealloc")->block, 1);
}

static void test_names(void)
{
	EQ_U(funcname_is("f", "f"), 1);
	EQ_U(funcname_is("f@@V1", "f"), 1);
	EQ_U(funcname_is("f.part.0", "f"), 1);
	EQ_U(funcname_is("f.cold", "f"), 0);
	EQ_U(funcname_is("fg", "f"), 0);
	EQ_U(funcname_is_clone("f"), 0);
	EQ_U(funcname_is_clone("f.isra.0"), 1);
	EQ_U(funcname_is_clone("f.constprop.0.isra.1"), 1);
	EQ_U(funcname_is_clone("f.lto_priv.0"), 0);
	EQ_U(funcname_is_clone("f.lto_priv.0.part.1"), 1);
	EQ_U(funcname_is_clone(".hidden"), 0);
	EQ_U(funcname_may_be("_ZN1a1bEi", "a::b"), 1);
	EQ_U(funcname_may_be("_ZN1a1bEi", "a::b(int)"), 1);
	EQ_U(funcname_may_be("plain", "plain"), 0);
	EQ_U(funcname_may_be("_ZN1a1cEi", "a::xyz"), 0);
	EQ_U(funcname_is_source("a::b(int)", "a::b"), 1);
	EQ_U(funcname_is_source("a::b(int)", "a::b(int)"), 1);
	EQ_U(funcname_is_source("a::b(int)", "a::b(long)"), 0);
	EQ_U(funcname_is_source("a::b(int) const", "a::b"), 1);
	EQ_U(funcname_is_source("a::bc(int)", "a::b"), 0);
	EQ_U(funcname_is_source("long* a::b<long>(int)", "a::b<long>"), 1);
	EQ_U(funcname_is_source("f(std::function<void (int)>)", "f"), 1);
	EQ_U(funcname_is_source("operator new(unsigned long)", "operator new"), 1);
	EQ_U(funcname_is_source("(anonymous namespace)::f(int)", "(anonymous namespace)::f"), 1);
	EQ_U(funcname_is_source("", "f"), 0);
	EQ_U(funcname_is_source(")", "f"), 0);
	EQ_U(funcname_is_source("((((", "f"), 0);
}

int main(void)
{
	test_rules();
	test_known();
	test_names();
	return done_testing();
}
