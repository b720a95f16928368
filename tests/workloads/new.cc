/* new.cc -- every form of operator new and delete: `new ROUNDS`, and `new fail`.
 *
 * A round makes six plain and six aligned blocks of 3840 bytes and frees them all.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstdint>
#include <cstdlib>
#include <new>

#include "tests/lib/workload.h"

static const std::size_t size = 3840;
static const std::align_val_t align{256};
static int handled;

static void *aligned(void *block)
{
	check(reinterpret_cast<std::uintptr_t>(block) % 256 == 0, "alignment");
	return block;
}

/* gcc 10 removes a pair of operators whose block nobody sees. */
static void *seen(void *block)
{
	__asm__ volatile("" : "+r"(block) : : "memory");
	return block;
}

static void round_of_all()
{
	void *a[6] = { operator new(size), operator new[](size), operator new(size, std::nothrow),
		       operator new[](size, std::nothrow), operator new(size),
		       operator new[](size) };
	void *b[6] = { aligned(operator new(size, align)), aligned(operator new[](size, align)),
		       aligned(operator new(size, align, std::nothrow)),
		       aligned(operator new[](size, align, std::nothrow)),
		       aligned(operator new(size, align)), aligned(operator new[](size, align)) };

	for (int i = 0; i < 6; i++)
		a[i] = seen(a[i]), b[i] = seen(b[i]);
	operator delete(a[0]);
	operator delete[](a[1]);
	operator delete(a[2], std::nothrow);
	operator delete[](a[3], std::nothrow);
	operator delete(a[4], size);
	operator delete[](a[5], size);
	operator delete(b[0], align);
	operator delete[](b[1], align);
	operator delete(b[2], align, std::nothrow);
	operator delete[](b[3], align, std::nothrow);
	operator delete(b[4], size, align);
	operator delete[](b[5], size, align);
}

static void handler()
{
	if (++handled == 3)
		std::set_new_handler(nullptr);
}

template <typename Function> static bool throws(Function function)
{
	try {
		function();
	} catch (const std::bad_alloc &) {
		return true;
	}
	return false;
}

/* bad_alloc passes through the recorder's frames, and the new-handler is called as often as
 * without it. */
static void fail()
{
	volatile std::size_t huge = PTRDIFF_MAX - 4096;

	check(throws([&] { operator delete(operator new(huge)); }), "new throws");
	check(throws([&] { operator delete[](operator new[](huge)); }), "new[] throws");
	check(throws([&] { operator delete(operator new(huge, align), align); }), "aligned");
	check(!operator new(huge, std::nothrow), "nothrow gives NULL");
	check(!operator new[](huge, align, std::nothrow), "aligned nothrow gives NULL");
	std::set_new_handler(handler);
	check(throws([&] { operator delete(operator new(huge)); }), "new throws after handler");
	say("handler called %d times", handled);
	operator delete(operator new(size));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "fail"))
		fail();
	operator delete(nullptr);
	if (argc > 1 && strcmp(argv[1], "fail"))
		for (int i = std::atoi(argv[1]); i > 0; i--)
			round_of_all();
	return 0;
}
