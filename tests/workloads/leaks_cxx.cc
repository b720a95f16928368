/* leaks_cxx.cc -- C++ programs that lose blocks, or hold them by pointers to their middle:
 * `leaks_cxx KIND`. As leaks.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#define KIND static __attribute__((noinline)) void

struct Base {
	virtual ~Base() {}
	int number = 1;
};
struct Second {
	virtual ~Second() {}
	virtual int more() { return 2; }
	std::string text = "a text that is longer than what a string holds itself";
};
struct Derived : Base, Second {
	long own = 3;
};
struct Counted {
	~Counted() { value = 0; }
	long value = 4;
};
struct Linked {
	std::shared_ptr<Linked> next;
	std::weak_ptr<Linked> before;
	std::vector<int> numbers;
};

static void *volatile held[16];
static std::map<int, std::string> table;
static std::vector<std::unique_ptr<Derived>> objects;

KIND nothing()
{
	delete new Derived;
}

KIND lost_objects()
{
	for (int i = 0; i < 5; i++)
		new Derived;
}

KIND containers()
{
	for (int i = 0; i < 100; i++)
		table[i] = std::string(40, 'x');
	for (int i = 0; i < 20; i++)
		objects.push_back(std::make_unique<Derived>());
	held[0] = new std::unordered_map<int, int>{ { 1, 2 }, { 3, 4 } };
}

/* Everything in it is lost with the map. */
KIND lost_map()
{
	auto map = new std::map<std::string, std::vector<int>>;

	for (int i = 0; i < 50; i++)
		(*map)[std::string(30, 'a') + std::to_string(i)].resize(10);
}

KIND shared_cycle()
{
	for (int i = 0; i < 10; i++) {
		auto a = std::make_shared<Linked>(), b = std::make_shared<Linked>();

		a->next = b;
		b->next = a;
		b->before = a;
		a->numbers.resize(20);
	}
}

KIND weak_chain()
{
	auto a = std::make_shared<Linked>();

	a->next = std::make_shared<Linked>();
	a->next->before = a;
	held[0] = new std::shared_ptr<Linked>(a);
}

KIND second_base()
{
	held[0] = static_cast<Second *>(new Derived);
	held[1] = static_cast<Base *>(new Derived);
	new Derived;
}

KIND arrays()
{
	held[0] = new Counted[12];
	held[1] = new int[100];
	new Counted[7];
	new int[50];
}

KIND functions()
{
	auto data = std::make_shared<std::vector<long>>(300);
	auto f = new std::function<long()>([data, a = 1l, b = 2l, c = 3l] {
		return (*data)[0] + a + b + c;
	});

	held[0] = f;
	new std::function<long()>(*f);
}

KIND in_thread()
{
	std::thread t([] { held[0] = new std::string(100, 'y'); new std::string(100, 'z'); });

	t.join();
}

KIND thrown()
{
	try {
		auto lost = new std::string(200, 'e');
		throw std::string(*lost);
	} catch (const std::string &e) {
		held[0] = new std::string(e);
	}
}

KIND globals_of_library()
{
	static std::vector<std::string> names;

	for (int i = 0; i < 10; i++)
		names.push_back(std::string(50, 'n'));
}

#define ROW(name) { #name, name }
static const struct {
	const char *name;
	void (*run)();
} kinds[] = {
	ROW(nothing), ROW(lost_objects), ROW(containers), ROW(lost_map), ROW(shared_cycle),
	ROW(weak_chain), ROW(second_base), ROW(arrays), ROW(functions), ROW(in_thread),
	ROW(thrown), ROW(globals_of_library),
};

int main(int argc, char **argv)
{
	for (auto &kind : kinds) {
		if (argc < 2)
			puts(kind.name);
		else if (strcmp(argv[1], kind.name) == 0)
			kind.run();
	}
	return 0;
}
