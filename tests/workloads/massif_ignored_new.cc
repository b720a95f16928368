/* massif_ignored_new.cc -- operator new in functions to be ignored, whose names have arguments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
namespace pool {
__attribute__((noinline)) char *take(int size)
{
	return new char[size];
}
struct user {
	int *p;
	__attribute__((noinline)) explicit user(int count) : p(new int[count])
	{
	}
};
}

extern "C" __attribute__((noinline)) char *plain(int size)
{
	return new char[size];
}

int main()
{
	char *volatile kept[80];
	int count = 0;

	for (int i = 0; i < 20; i++) {
		kept[count++] = reinterpret_cast<char *>(pool::user(25 * i + 1).p);
		kept[count++] = pool::take(50 * i + 1);
		kept[count++] = plain(30 * i + 1);
		kept[count++] = new char[10 * i + 1];
	}
	while (count > 0)
		delete[] kept[--count];
}
