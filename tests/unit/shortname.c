/* shortname.c -- names of functions get short and stay recognisable.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/shortname.h"

#include "tests/lib/tap.h"

static const struct {
	const char *name, *want;
} cases[] = {
	{ "", "" },
	{ "main", "main" },
	{ "work.constprop.0", "work.constprop.0" },
	{ "f(int)", "f" },
	{ "f(int) [clone .isra.0]", "f" },
	{ "a::B::c(std::vector<int> const&) const", "a::B::c" },
	{ "void std::vector<int, std::allocator<int> >::_M_fill<3>(int const&)",
	  "std::vector<>::_M_fill<>" },
	{ "std::map<int, int> make<int>()", "make<>" },
	{ "unsigned long count<int>(int)", "count<>" },
	{ "operator new(unsigned long)", "operator new" },
	{ "operator new[](unsigned long, std::nothrow_t const&)", "operator new[]" },
	{ "A::operator()(int)", "A::operator()" },
	{ "bool operator< <int>(A<int> const&, A<int> const&)", "operator<" },
	{ "std::ostream& std::operator<< <char>(std::ostream&, char)", "std::operator<<" },
	{ "A::operator bool() const", "A::operator bool" },
	{ "A<int>::operator->() const", "A<>::operator->" },
	{ "cooperator(int)", "cooperator" },
	{ "(anonymous namespace)::make(int)", "(anonymous namespace)::make" },
	{ "x::(anonymous namespace)::T<3>::f()", "x::(anonymous namespace)::T<>::f" },
	{ "main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()" },
	{ "f(int)::{lambda()#2}::operator()() const", "f::{lambda#2}::operator()" },
	{ "<alloc::vec::Vec<T> as core::clone::Clone>::clone", "<alloc::vec::Vec<>>::clone" },
	{ "r::main::{closure#0}", "r::main::{closure#0}" },
	{ "py::<module>:/home/me/a (1).py", "py::<module>:/home/me/a (1).py" },
	{ "JS:~<anonymous>", "JS:~<anonymous>" },
	{ "runtime.(*mheap).init", "runtime.(*mheap).init" },
	{ "main.(*Index[...]).Add.func1", "main.(*Index[...]).Add.func1" },
	{ "f.(*", "f.(*" },
	{ "void (*choose<int>(int))(char)", "void (*choose<int>(int))(char)" },
	{ "<T>", "<T>" },
	{ "f<", "f<>" },
	{ "f(", "f" },
	{ "{", "{" },
	{ "<", "<>" },
	{ ")", ")" },
};

static void all(void)
{
	char text[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EQ_S(shortname(cases[i].name, text, sizeof(text)), cases[i].want);
}

static void long_ones(void)
{
	char text[16], *huge = malloc(100001);

	EQ_S(shortname("first::second::third(int)", text, sizeof(text)), "...econd::third");
	EQ_S(shortname("abcdefghijklmnopqrstuvwxyz", text, sizeof(text)), "...opqrstuvwxyz");
	memset(huge, '<', 100000);
	huge[100000] = '\0';
	shortname(huge, text, sizeof(text));
	memset(huge, 'a', 100000);
	EQ_U(strlen(shortname(huge, text, sizeof(text))), 15);
	free(huge);
}

int main(void)
{
	all();
	long_ones();
	return done_testing();
}
