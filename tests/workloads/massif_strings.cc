/* CFLAGS: -O1 */
/* massif_strings.cc -- containers of C++'s library.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <map>
#include <string>
#include <vector>

static std::map<std::string, std::vector<int>> table;

static __attribute__((noinline)) void fill(int rows)
{
	for (int i = 0; i < rows; i++) {
		std::string key(100, static_cast<char>('a' + i));

		table[key].reserve(16 * (i + 1));
	}
}

int main()
{
	fill(12);
	return table.size() != 12;
}
