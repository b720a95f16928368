/* names.cc -- allocations in functions of every kind of name: does a profiler tell them?
 *
 * Its last act is to copy /proc/self/maps to the file "maps", for who must know where the
 * libraries were.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

namespace {
struct Node {
	int value;
	Node *next;
};

NOINLINE Node *make_node(int value)
{
	return new Node{ value, nullptr };
}

template <typename T, int N> NOINLINE T *many(int count)
{
	return new T[N * count];
}
} /* namespace */

namespace outer {
namespace inner {
class Box
{
public:
	explicit Box(int n) : data(new int[n]) {}
	NOINLINE void grow(int n)
	{
		int *bigger = new int[n];

		delete[] data;
		data = bigger;
	}
	Box &operator+=(const Box &other);
	INLINE void *quick(size_t n)
	{
		return malloc(n);
	}
	inline __attribute__((always_inline)) void *deep(size_t n) const
	{
		return quick(n + 1);
	}

private:
	int *data;
};

Box &Box::operator+=(const Box &)
{
	grow(7);
	return *this;
}
} /* namespace inner */
} /* namespace outer */

extern "C" void *plain(size_t n)
{
	return malloc(n);
}
extern "C" void *plain_alias(size_t n) __attribute__((alias("plain")));

INLINE void *innermost(size_t n)
{
	return malloc(n);
}

INLINE void *middle(size_t n)
{
	void *p = innermost(n);

	return p;
}

INLINE void *outermost(size_t n)
{
	return middle(n * 2);
}

/* Called with one constant: a compiler may make a clone of it. */
static NOINLINE void *specialised(size_t n, int how, int count)
{
	return how ? malloc(n) : calloc(n, count);
}

static NOINLINE void *recursive(int depth)
{
	void *p = depth ? recursive(depth - 1) : malloc(77);

	asm volatile("" : "+r"(p));
	return p;
}

static void *keep[64];
static int kept;

static void copy_maps()
{
	static char text[1 << 18];
	FILE *in = fopen("/proc/self/maps", "r"), *out = fopen("maps", "w");

	if (in && out)
		fwrite(text, 1, fread(text, 1, sizeof(text), in), out);
	if (out)
		fclose(out);
	if (in)
		fclose(in);
}

int main(int argc, char **)
{
	keep[kept++] = make_node(1);
	keep[kept++] = many<double, 3>(2);
	keep[kept++] = many<outer::inner::Box *, 9>(2);
	auto *box = new outer::inner::Box(100);
	*box += *box;
	keep[kept++] = box->deep(33);
	keep[kept++] = plain(10);
	keep[kept++] = plain_alias(11);
	keep[kept++] = outermost(100);
	keep[kept++] = specialised(100, 1, 2);
	keep[kept++] = specialised(200, 1, 2);
	keep[kept++] = recursive(5);

	std::map<std::string, std::vector<std::string>> map;
	for (int i = 0; i < 20; i++)
		map[std::string(40, 'a' + i)].push_back(std::string(100, 'x'));
	std::function<void *(int)> function = [=](int n) { return malloc(n + argc); };
	keep[kept++] = function(1);
	auto shared = std::make_shared<std::string>(300, 'c');
	struct Local {
		void *run()
		{
			return strdup(std::string(50, 'q').c_str());
		}
	} local;
	keep[kept++] = local.run();
	copy_maps();
	/* So that the peak before it is recorded, with everything. */
	free(malloc(1));
	return 0;
}
