/* exec.c -- the species exec: a program that goes on with the body.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct words {
	char text[PLAN_TEXT], sum[32], line[PLAN_TEXT + 5000];
	char *argv[6];
};

static char *const no_variables[] = { NULL };
static char *const one_variable[] = { "LC_ALL=C", NULL };

static _Noreturn void replace(struct words *w, unsigned int how)
{
	int fd;

	switch (how) {
	case 0:
		execve(zoo_path, w->argv, no_variables);
		break;
	case 1:
		execve(zoo_path, w->argv, one_variable);
		break;
	case 2:
		fd = open(zoo_path, O_RDONLY | O_CLOEXEC);
		fexecve(fd, w->argv, environ);
		break;
	case 3:
		clearenv();
		execvp(zoo_path, w->argv);
		break;
	case 4:
		execl(zoo_path, "another name", "on", w->sum, w->text, (char *)NULL);
		break;
	default:
		execv(zoo_path, w->argv);
	}
	_exit(98);
}

static void *replace_in_thread(void *w)
{
	replace(w, 5);
}

/* exec by another thread than the first. */
static _Noreturn void replace_by_thread(struct words *w)
{
	pthread_t thread;

	pthread_create(&thread, NULL, replace_in_thread, w);
	for (;;)
		pause();
}

static void by_shell(const struct step *s, struct words *w)
{
	snprintf(w->line, sizeof(w->line), "'%s' on %s '%s'", zoo_path, w->sum, w->text);
	note(s, (uint64_t)system(w->line));
}

static void by_spawn(const struct step *s, struct words *w)
{
	pid_t pid = -1;
	int error = posix_spawn(&pid, zoo_path, NULL, NULL, w->argv, environ);

	note(s, (uint64_t)error);
	if (!error)
		child_wait(s, pid, 0);
}

static __attribute__((noinline)) pid_t start(struct words *w, unsigned int how, bool with_threads)
{
	pid_t pid = how == 5 ? vfork() : fork();

	if (pid == 0) {
		if (how == 6 && with_threads)
			replace_by_thread(w);
		replace(w, how);
	}
	return pid;
}

void do_exec(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);
	struct words *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int how = draw_below(&d, 9);
	pid_t pid;

	if (w == MAP_FAILED)
		return;
	/* What other threads noted until now is a matter of chance. */
	zoo_words(s->body, w->text, w->sum, w->argv);
	snprintf(w->sum, sizeof(w->sum), "%x", s->arg);
	if (how == 7) {
		by_spawn(s, w);
	} else if (how == 8 && r->can & CAN_ALONE) {
		by_shell(s, w);
	} else {
		pid = start(w, how, r->can & CAN_THREAD);
		note(s, pid > 0);
		if (pid > 0)
			child_wait(s, pid, 0);
	}
	munmap(w, sizeof(*w));
}
