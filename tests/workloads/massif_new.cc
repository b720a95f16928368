/* CFLAGS: -O0 -fno-inline */
/* massif_new.cc -- C++'s operators.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstddef>
#include <new>

struct pair {
	long a, b;
	pair() : a(1), b(2) {}
	~pair() { a = 0; }
};

namespace shop {
template <typename T> T *make(int count)
{
	return new T[count];
}
}

int main()
{
	pair *one = new pair;
	pair *many = new pair[10];
	int *numbers = shop::make<int>(100);
	char *text = new (std::nothrow) char[333];
	char *more = shop::make<char>(50);

	delete one;
	delete[] many;
	delete[] text;
	return numbers && more ? 0 : 1;
}
