/* perthread.cc -- thread_local objects that allocate when a thread first uses them and free
 * when it ends: `perthread THREADS`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/lib/workload.h"

struct buffer {
	std::vector<char> bytes;
	buffer() : bytes(9000, 'b') {}
};
static thread_local buffer mine;

int main(int argc, char **argv)
{
	int count = argc > 1 ? std::atoi(argv[1]) : 0;
	std::vector<std::thread> threads;
	std::vector<char> sums(static_cast<std::size_t>(count));

	for (int i = 0; i < count; i++)
		threads.emplace_back([&sums, i] {
			sums[static_cast<std::size_t>(i)] = mine.bytes[8999];
		});
	for (std::thread &thread : threads)
		thread.join();
	for (char sum : sums)
		check(sum == 'b', "the thread's own buffer");
	say("truth 8992-9007 count=%d", count + (mine.bytes[0] == 'b'));
	return 0;
}
