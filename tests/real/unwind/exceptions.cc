/* exceptions.cc -- allocates before, while and after exceptions pass through many frames.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Tracer {
	std::string name;
	explicit Tracer(int i) : name(40, static_cast<char>('a' + i % 26)) {}
	~Tracer() { std::string(name + name); }
};

static int descend(int depth, int kind)
{
	Tracer tracer(depth);
	std::vector<int> local(static_cast<size_t>(depth) + 1, depth);

	if (depth == 0) {
		if (kind % 3 == 0)
			throw std::runtime_error(std::string(100, 'x'));
		if (kind % 3 == 1)
			throw kind;
		return kind;
	}
	try {
		return descend(depth - 1, kind) + local.back();
	} catch (int value) {
		if (depth % 4)
			throw;
		std::string again(50, 'y');
		if (depth % 8)
			throw std::out_of_range(again);
		return value;
	} catch (const std::out_of_range &) {
		std::throw_with_nested(std::logic_error("nested, and longer than a small string"));
	}
}

static void work(int rounds)
{
	std::map<std::string, int> caught;

	for (int i = 0; i < rounds; i++) {
		try {
			caught["returned"] += descend(i % 30, i) != 0;
		} catch (const std::exception &e) {
			caught[e.what()]++;
		} catch (...) {
			caught["another"]++;
		}
	}
	std::regex regex("^(a|b)*c[0-9]{2,4}(x+x+)+y$");
	caught["match"] = std::regex_match("ababc123xxxxy", regex);
	std::vector<std::shared_ptr<std::string>> sorted;
	for (int i = 0; i < 200; i++)
		sorted.push_back(std::make_shared<std::string>(std::to_string(i * 7919 % 1000)));
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back(work, 300);
	work(1000);
	for (auto &thread : threads)
		thread.join();
	puts("done");
	return 0;
}
