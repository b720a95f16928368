/* CFLAGS: -O2 */
/* massif_ignored_array.cc -- operator new[] in a function that is taken in, one that is not, and one
 * with a C name: nothing is left if all are ignored.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
char *volatile kept;

static inline __attribute__((always_inline)) void taken_in()
{
	kept = new char[1000];
	delete[] kept;
}

static __attribute__((noinline, noclone)) void apart(int size)
{
	kept = new char[size];
	delete[] kept;
}

extern "C" __attribute__((noinline)) void c_name()
{
	kept = new char[3000];
	delete[] kept;
}

int main()
{
	taken_in();
	apart(2000);
	c_name();
}
