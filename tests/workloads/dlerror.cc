/* dlerror.cc -- what dlerror() is to say survives the first call of anything interposed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <sys/mman.h>
#include <sys/time.h>

#include "tests/lib/workload.h"

template <typename Function> static void keeps(const char *what, Function function)
{
	check(!dlopen("./no-such-object.so", RTLD_NOW), "no such object");
	function();
	const char *text = dlerror();
	say("after %s: %s", what, text ? text : "forgotten");
}

int main()
{
	struct itimerval off = {};
	const char *first = dlerror();

	say("at first: %s", first ? first : "nothing");
	keeps("new", [] { operator delete(operator new(10)); });
	keeps("aligned new", [] {
		operator delete[](operator new[](10, std::align_val_t(64), std::nothrow),
				  std::align_val_t(64));
	});
	keeps("signal", [] { signal(SIGUSR1, SIG_IGN); });
	keeps("sigset", [] { sigset(SIGUSR2, SIG_IGN); });
	keeps("setitimer", [&] { setitimer(ITIMER_PROF, &off, nullptr); });
	keeps("mmap", [] { munmap(mmap(nullptr, 1, 0, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1); });
	keeps("malloc", [] { std::free(std::malloc(10)); });
	return 0;
}
