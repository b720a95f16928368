/* cli_message.c -- a message is one line, one write, and cannot drive the terminal; colour is
 * decided by the option, NO_COLOR and the terminal, in this order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/color.h"
#include "cli/progress.h"
#include "tests/lib/tap.h"

static char said[8192];
static int ends[2], saved;

/* A packet pipe: one read returns one write. */
static void begin(void)
{
	if (pipe2(ends, O_DIRECT | O_NONBLOCK) < 0)
		abort();
	saved = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
}

static size_t end(void)
{
	ssize_t n = read(ends[0], said, sizeof(said) - 1);

	said[n < 0 ? 0 : n] = '\0';
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(ends[0]);
	close(ends[1]);
	return n < 0 ? 0 : (size_t)n;
}

static void test_warn(void)
{
	char *longer = malloc(10001);

	begin();
	errno = ENOENT;
	warn("cannot open %s: %m", "a\033[31m\nb\x7f");
	EQ_I(errno, ENOENT);
	end();
	EQ_S(said, "tool: cannot open a?[31m?b?: No such file or directory\n");
	memset(longer, 'x', 10000);
	longer[10000] = '\0';
	begin();
	warn("%s", longer);
	EQ_U(end(), 4095);
	EQ_I(said[4094], '\n');
	free(longer);
}

static void test_die(void)
{
	int status;

	begin();
	fflush(stdout);
	if (fork() == 0)
		die("no: %d", 1);
	wait(&status);
	end();
	EQ_S(said, "tool: no: 1\n");
	EQ_I(WEXITSTATUS(status), 125);
}

static void test_color(void)
{
	unsetenv("NO_COLOR");
	IS_TRUE(color_wanted(COLOR_ALWAYS, -1));
	IS_FALSE(color_wanted(COLOR_NEVER, -1));
	IS_FALSE(color_wanted(COLOR_AUTO, -1));
	setenv("NO_COLOR", "1", 1);
	IS_TRUE(color_wanted(COLOR_ALWAYS, -1));
	IS_FALSE(color_wanted(COLOR_AUTO, STDERR_FILENO));
}

static void test_progress(void)
{
	struct progress p;

	begin();
	progress_begin(&p, "reading", 100);
	p.shown_ns = 0;
	progress_update(&p, 50);
	progress_end(&p);
	EQ_U(end(), 0);

	/* Where the line would go if it were a terminal. */
	begin();
	progress_begin(&p, "reading\033", 200);
	p.is_terminal = true;
	progress_update(&p, 10);
	IS_FALSE(p.is_drawn);
	p.shown_ns = 0;
	progress_update(&p, 50);
	IS_TRUE(p.is_drawn);
	end();
	EQ_S(said, "\rtool: reading?:  25%\033[K");
	begin();
	p.total = 0;
	p.shown_ns = 0;
	progress_update(&p, 1234567);
	end();
	EQ_S(said, "\rtool: reading?: 1,234,567\033[K");
	begin();
	progress_end(&p);
	end();
	EQ_S(said, "\r\033[K");
	IS_FALSE(p.is_drawn);
}

int main(void)
{
	message_init("tool", 125);
	EQ_S(message_tool(), "tool");
	test_warn();
	test_die();
	test_color();
	test_progress();
	return done_testing();
}
