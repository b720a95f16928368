/* server.cc -- a thread that calls a std::function, which fills containers in several lines of one
 * function: `server` prints "held FUNCTION BYTES BLOCKS" of what is live at the end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

enum { REQUESTS = 200, BODY = 1000, TOKEN = 400, ENTRY = 100, POOL = 50000 };

struct session {
	std::vector<char> body;
	std::string token;
};

struct session_cache {
	std::map<int, std::unique_ptr<session>> sessions;

	__attribute__((noinline)) void lookup(std::unique_ptr<session> &slot)
	{
		slot = std::make_unique<session>();
		slot->body.resize(BODY);
		slot->token = std::string(TOKEN, 't');
	}
	__attribute__((noinline)) std::unique_ptr<session> &find_slot(int id)
	{
		return sessions[id];
	}
};

struct server {
	session_cache cache;
	std::vector<std::unique_ptr<char[]>> log;
	std::vector<char> pool;

	__attribute__((noinline)) server() : pool(POOL) { log.reserve(REQUESTS); }
	__attribute__((noinline)) void handle(int id)
	{
		cache.lookup(cache.find_slot(id));
		log.push_back(std::make_unique<char[]>(ENTRY));
	}
};

static server *kept;

int main()
{
	std::function<void()> work = [] {
		for (int i = 0; i < REQUESTS; i++)
			kept->handle(i);
	};

	kept = new server;
	std::thread(work).join();
	std::printf("held session_cache::lookup %zu %d\n",
		    REQUESTS * (sizeof(session) + BODY + TOKEN + 1), 3 * REQUESTS);
	std::printf("held server::handle %d %d\n", REQUESTS * ENTRY, REQUESTS);
	std::printf("held server::server %zu %d\n",
		    POOL + REQUESTS * sizeof(std::unique_ptr<char[]>), 2);
	/* Massif looks at a peak when memory is freed after it. */
	void *volatile last = std::malloc(20000);
	std::free(last);
	return 0;
}
