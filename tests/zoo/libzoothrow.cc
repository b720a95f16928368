/* libzoothrow.cc -- a shared object that throws, through frames of the program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct holder {
	std::vector<std::string> text;
	explicit holder(int n) : text(static_cast<size_t>(n) + 1, std::string(40, 'x')) {}
};

__attribute__((noinline)) int fall(int depth)
{
	holder h(depth);
	if (depth == 0)
		throw std::runtime_error(std::string(100, 'y'));
	int got = fall(depth - 1);
	return got + static_cast<int>(h.text.size());
}

int refuse()
{
	volatile size_t size = static_cast<size_t>(1) << 62; /* compilers refuse a constant */

	try {
		delete[] new char[size];
	} catch (const std::bad_alloc &) {
		return 1;
	}
	return 0;
}

}

extern "C" int zoo_throw(void (*fn)(void *), void *arg, int depth)
{
	int caught = refuse();

	fn(arg);
	try {
		caught += fall(depth);
	} catch (const std::exception &e) {
		caught += static_cast<int>(std::string(e.what()).size());
		fn(arg);
	}
	return caught;
}
