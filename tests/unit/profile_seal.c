/* profile_seal.c -- a sealed process reads files and tells what they hold, and can do nothing else.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

enum { DEEDS = 40, TEXT = 64 };

/* What the child tried: EPERM is what is to come of it, or nothing wrong. */
struct tried {
	char deed[TEXT];
	int error;
	bool is_forbidden;
};

static struct tried *tried;
static int count;

static void forbidden(const char *deed, long result)
{
	tried[count] = (struct tried){ .error = result < 0 ? errno : 0, .is_forbidden = true };
	strncpy(tried[count++].deed, deed, TEXT - 1);
}

static void allowed(const char *deed, bool is_good)
{
	tried[count] = (struct tried){ .error = is_good ? 0 : errno ? errno : -1 };
	strncpy(tried[count++].deed, deed, TEXT - 1);
}

static void try_files(void)
{
	char text[8] = "";
	int fd;

	forbidden("to write a file", open("kept", O_WRONLY));
	forbidden("to read and write one", open("kept", O_RDWR));
	forbidden("to empty one", open("kept", O_RDONLY | O_TRUNC));
	forbidden("to make one", open("new", O_RDONLY | O_CREAT, 0600));
	forbidden("to make one without a name", open(".", O_TMPFILE | O_RDWR, 0600));
	forbidden("to remove one", unlink("kept"));
	forbidden("to rename one", rename("kept", "lost"));
	forbidden("to change its mode", chmod("kept", 0777));
	forbidden("to truncate one", truncate("kept", 0));
	forbidden("to open by openat2", syscall(__NR_openat2, AT_FDCWD, "kept", NULL, 0));
	fd = open("kept", O_RDONLY | O_CLOEXEC);
	allowed("to open one for reading", fd >= 0);
	allowed("to read it", read(fd, text, 4) == 4 && memcmp(text, "text", 4) == 0);
	allowed("to map it", mmap(NULL, 4, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
}

static void try_processes(pid_t parent)
{
	struct rlimit limit = { 0, 0 };
	int pair[2];

	forbidden("to end another process", kill(parent, SIGKILL));
	forbidden("to fork", fork());
	forbidden("to execute", execl("/bin/true", "true", NULL));
	forbidden("to make a socket", socket(AF_UNIX, SOCK_STREAM, 0));
	forbidden("to make two", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	forbidden("to change limits", setrlimit(RLIMIT_CORE, &limit));
	forbidden("to ask the kernel for something", prctl(PR_SET_DUMPABLE, 1));
	forbidden("to make a pipe", pipe(pair));
	forbidden("to use another descriptor", dup2(1, 9));
}

static void try_memory(int output)
{
	char *block = malloc(1 << 20), *more;

	allowed("to allocate", block);
	more = realloc(block, 64 << 20);
	allowed("to allocate more", more);
	free(more);
	errno = 0;
	forbidden("to map code", mmap(NULL, 4096, PROT_READ | PROT_EXEC,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0);
	block = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	forbidden("to make data code", mprotect(block, 4096, PROT_READ | PROT_EXEC));
	forbidden("to write to any descriptor", write(2, "", 0));
	allowed("to answer", write(output, "x", 1) == 1);
}

int main(void)
{
	pid_t parent = getpid(), child;
	int output[2], status = -1;
	FILE *file;

	scratch();
	file = fopen("kept", "w");
	fputs("text", file);
	fclose(file);
	tried = mmap(NULL, DEEDS * sizeof(*tried), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	EQ_I(pipe(output), 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (!seal_process(output[1]))
			_exit(77);
		try_files();
		try_processes(parent);
		try_memory(output[1]);
		/* Sanitizers do things before _exit() that are forbidden. */
		syscall(SYS_exit_group, 0);
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_all("no filter of system calls here");
	EQ_I(status, 0);
	for (int i = 0; i < DEEDS && tried[i].deed[0]; i++)
		OK(tried[i].error == (tried[i].is_forbidden ? EPERM : 0), "%s: %s (%s)",
		   tried[i].is_forbidden ? "forbidden" : "allowed", tried[i].deed,
		   tried[i].error > 0 ? strerror(tried[i].error) : "no error");
	EQ_I(access("kept", R_OK), 0);
	EQ_I(access("new", F_OK), -1);
	return done_testing();
}
