/* LDLIBS: -pthread */
/* supplied.c -- supplies the pages of a mapping itself, by userfaultfd(2): `supplied [forks]`.
 *
 * With `forks` it hears of forks by the same descriptor, as CRIU does. Says "ready", touches missing
 * pages and allocates until its standard input ends; then prints how often a page was not what it
 * has to be, "wrong=0" if never. "refused: WHY" if the kernel has no such call, or lets only others
 * make it; any other failure ends it with 99.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { PAGES = 64, PAGE = 4096 };

static int faults;
static unsigned long wrong;

static void supply_page(uint64_t address)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	struct uffdio_copy copy = { .dst = address & -(uint64_t)PAGE, .src = (uintptr_t)page,
				    .len = PAGE };

	memset(page, 'x', sizeof(page));
	ioctl(faults, UFFDIO_COPY, &copy);
}

static void *supply(void *unused)
{
	struct uffd_msg message;

	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		if (message.event == UFFD_EVENT_PAGEFAULT)
			supply_page(message.arg.pagefault.address);
		else if (message.event == UFFD_EVENT_FORK)
			close((int)message.arg.fork.ufd);
	}
	return unused;
}

static char *begin(bool hears_forks)
{
	struct uffdio_api api = { .api = UFFD_API,
				  .features = hears_forks ? UFFD_FEATURE_EVENT_FORK : 0 };
	struct uffdio_register part = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;
	char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) < 0) {
		if (errno != ENOSYS && errno != EPERM)
			exit(99);
		say("refused: %s", strerror(errno));
		exit(0);
	}
	part.range.start = (uintptr_t)pages;
	part.range.len = PAGES * PAGE;
	if (pages == MAP_FAILED || ioctl(faults, UFFDIO_REGISTER, &part) < 0 ||
	    pthread_create(&thread, NULL, supply, NULL) != 0)
		exit(99);
	return pages;
}

static void fork_once(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(4);
	wrong += waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4;
}

int main(int argc, char **argv)
{
	static void *volatile lost;
	const bool forks = argc > 1;
	char *volatile pages = begin(forks);
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	lost = malloc(1000);
	lost = NULL;
	say("ready");
	fflush(stdout);
	for (unsigned int turn = 0; poll(&in, 1, 1) == 0; turn++) {
		char *page = pages + turn % PAGES * PAGE;

		wrong += page[turn % PAGE] != 'x';
		madvise(page, PAGE, MADV_DONTNEED);
		free(malloc(turn % 5000));
		if (forks && turn % 20 == 0)
			fork_once();
	}
	say("wrong=%lu", wrong);
	return wrong != 0;
}
