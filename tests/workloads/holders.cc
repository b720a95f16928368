/* holders.cc -- Containers whose sizes are known: what clearing one of them frees is what the report
 * must have said that it retains.
 *
 * Prints "NAME frees BYTES" for each. The operators below know the size of each block, because the
 * standard library passes it to operator delete.
 *
 * Usage: holders [wait]
 *
 *	wait	before anything is freed, until a line can be read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

static size_t live;

void *operator new(size_t size)
{
	void *p = malloc(size);

	if (!p)
		throw std::bad_alloc();
	live += size;
	return p;
}

void operator delete(void *p, size_t size) noexcept
{
	live -= size;
	free(p);
}

void operator delete(void *p) noexcept
{
	fputs("a block of unknown size\n", stderr);
	free(p);
	abort();
}

struct Shape {
	virtual ~Shape() = default;
	long corner[4] = { 0 };
};

struct Circle : Shape {
	double radius = 1;
};

struct Item {
	std::string text;
	std::vector<int> data;
	explicit Item(int i)
	: text("an item with a rather long text " + std::to_string(i)), data(20, i) {}
};

std::map<int, std::shared_ptr<Item>> cache;
std::map<std::string, std::shared_ptr<Item>> by_name; /* has a quarter of the items, too */
static std::vector<std::string> *lines;
static thread_local std::vector<std::unique_ptr<Shape>> shapes;

static void fill()
{
	for (int i = 0; i < 20000; i++)
		cache[i] = std::make_shared<Item>(i);
	for (int i = 0; i < 20000; i += 4)
		by_name["name of item number " + std::to_string(i)] = cache[i];
	lines = new std::vector<std::string>;
	for (int i = 0; i < 1000; i++)
		lines->push_back("line of the log, number " + std::to_string(i));
	for (int i = 0; i < 500; i++)
		shapes.push_back(std::unique_ptr<Shape>(new Circle));
}

static void print_freed(const char *name, size_t before)
{
	printf("%s frees %zu\n", name, before - live);
}

__attribute__((noinline)) static void count_what_is_freed()
{
	size_t before = live;

	cache.clear();
	print_freed("cache", before);
	before = live;
	by_name.clear();
	print_freed("by_name", before);
	before = live;
	delete lines;
	lines = nullptr;
	print_freed("lines", before);
	before = live;
	std::vector<std::unique_ptr<Shape>>().swap(shapes);
	print_freed("shapes", before);
}

int main(int argc, char **argv)
{
	char line[16];

	fill();
	printf("live %zu\n", live);
	fflush(stdout);
	if (argc > 1 && strcmp(argv[1], "keep") == 0)
		return 0;
	if (argc > 1 && !fgets(line, sizeof(line), stdin))
		return 1;
	count_what_is_freed();
	return 0;
}
