/* cli_output.c -- an output misses no error, follows no foreign link and expands names safely.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/output.h"
#include "cli/rank.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "tests/lib/tap.h"

static char said[4096];

/* Standard error goes to a file while the outputs complain. */
static int redirect_stderr(void)
{
	int saved = dup(STDERR_FILENO), fd = open("err", O_RDWR | O_CREAT | O_TRUNC, 0600);

	dup2(fd, STDERR_FILENO);
	close(fd);
	return saved;
}

static void restore_stderr(int saved)
{
	int fd = open("err", O_RDONLY);
	ssize_t n = read(fd, said, sizeof(said) - 1);

	said[n < 0 ? 0 : n] = '\0';
	close(fd);
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 ? st.st_mode & 07777 : 07777;
}

static void test_plain(void)
{
	bool is_fresh = true;
	struct output out;

	umask(022);
	EQ_I(output_open(&out, "plain", OUTPUT_PUBLIC), 0);
	fprintf(out.stream, "hello\n");
	EQ_I(output_close(&out), 0);
	EQ_I(output_close(&out), 0);
	EQ_U(out.written, 6);
	EQ_U(mode_of("plain"), 0644);
	EQ_I(output_open(&out, "private", 0), 0);
	EQ_I(output_close(&out), 0);
	EQ_U(mode_of("private"), 0600);
	EQ_I(symlink("plain", "link"), 0);
	EQ_I(output_open(&out, "link", OUTPUT_PUBLIC), 0);
	EQ_I(output_close(&out), 0);
	EQ_U(mode_of("plain"), 0644);
	OK(access("link", F_OK) == 0, "a link of our own is followed");
	EQ_I(output_open_file("plain", OUTPUT_CHECK, &is_fresh) >= 0, 1);
	OK(!is_fresh && mode_of("plain") == 0644, "a check changes nothing");
	EQ_I(output_open(&out, "link", 0), 0);
	EQ_I(output_close(&out), 0);
	EQ_U(mode_of("plain"), 0600);
}

static void test_failures(void)
{
	static const struct { const char *name; unsigned flags; const char *why; } cases[] = {
		{ "no/file", 0, "tool: cannot write no/file: No such file or directory\n" },
		{ ".", 0, "tool: cannot write .: Is a directory\n" },
		{ "plain", OUTPUT_NEW, "tool: cannot write plain: File exists\n" },
		{ "", 0, "tool: cannot write : No such file or directory\n" },
	};
	struct output out;
	int saved;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		saved = redirect_stderr();
		EQ_I(output_open(&out, cases[i].name, cases[i].flags), -1);
		EQ_I(output_close(&out), 0);
		restore_stderr(saved);
		EQ_S(said, cases[i].why);
	}
	saved = redirect_stderr();
	EQ_I(output_open(&out, "/dev/full", 0), 0);
	fprintf(out.stream, "%100000s", "x");
	IS_TRUE(output_failed(&out));
	EQ_I(output_close(&out), -1);
	restore_stderr(saved);
	EQ_S(said, "tool: cannot write /dev/full: No space left on device\n");
	OK(access("/dev/full", F_OK) == 0, "a device is not removed");
}

/* A file that a write fails for is removed if it is ours: here by a limit of its size. */
static void test_removal(void)
{
	struct output out;
	int saved = redirect_stderr();

	EQ_I(output_open(&out, "half", 0), 0);
	close(out.fd);
	fprintf(out.stream, "text");
	EQ_I(output_close(&out), -1);
	restore_stderr(saved);
	EQ_S(said, "tool: cannot write half: Bad file descriptor\n");
	OK(access("half", F_OK) < 0 && errno == ENOENT, "half an output is removed");
}

static void test_foreign_link(void)
{
	struct output out;
	int saved;

	EQ_I(symlink("plain", "foreign"), 0);
	if (lchown("foreign", 1, 1) < 0) {
		skip("a link of another user cannot be made here");
		return;
	}
	saved = redirect_stderr();
	EQ_I(output_open(&out, "foreign", 0), -1);
	restore_stderr(saved);
	EQ_S(said, "tool: cannot write foreign: the symbolic link belongs to another user\n");
}

static void one_foreign(const char *name, unsigned flags, const char *why)
{
	int saved = redirect_stderr(), result;
	struct output out;

	result = output_open(&out, name, flags);
	output_close(&out);
	restore_stderr(saved);
	EQ_I(result, why ? -1 : 0);
	EQ_S(said, why ? why : "");
}

/* Who may read a file is its owner's choice: so it gets no command line. */
static void test_foreign_file(void)
{
	struct output out;
	int reader;

	EQ_I(output_open(&out, "theirs", 0), 0);
	fputs("old", out.stream);
	EQ_I(output_close(&out), 0);
	EQ_I(mkfifo("pipe", 0666), 0);
	EQ_I(symlink("pipe", "to-pipe"), 0);
	if (chown("theirs", 1, 1) < 0 || chown("pipe", 1, 1) < 0) {
		skip("a file of another user cannot be made here");
		return;
	}
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	one_foreign("theirs", 0, "tool: cannot write theirs: it belongs to another user, who "
				 "could read it: remove it first\n");
	one_foreign("theirs", OUTPUT_CHECK, "tool: cannot write theirs: it belongs to another "
					    "user, who could read it: remove it first\n");
	OK(access("theirs", F_OK) == 0, "it is left as it is");
	one_foreign("pipe", 0, "tool: cannot write pipe: it belongs to another user, who could "
			       "read it: remove it first\n");
	one_foreign("to-pipe", 0, NULL);
	one_foreign("theirs", OUTPUT_PUBLIC, NULL);
	close(reader);
}

static bool has_rank = true;

static char *variable(const char *name)
{
	static char run[] = "7", path[] = "a/b", empty[] = "", up[] = "..";

	static char rank[] = "17", word[] = "three";

	if (strcmp(name, "PMIX_RANK") == 0)
		return has_rank ? word : NULL;
	if (strcmp(name, "PMI_RANK") == 0)
		return has_rank ? rank : NULL;
	if (strcmp(name, "UP") == 0)
		return up;
	return strcmp(name, "RUN") == 0 ? run : strcmp(name, "PATH") == 0 ? path :
	       strcmp(name, "EMPTY") == 0 ? empty : NULL;
}

static void test_expand(void)
{
	static const struct { const char *pattern, *name; } good[] = {
		{ "out.%p.png", "out.42.png" }, { "%q{RUN}-%p%p", "7-4242" }, { "100%%", "100%" },
		{ "", "" }, { "a/b", "a/b" }, { "x%q{EMPTY}y", "xy" },
		{ "run.%r.mur", "run.17.mur" },
	};
	static const char *const bad[] = {
		"%", "a%", "%d", "%q", "%qRUN", "%q{", "%q{RUN", "%q{}", "%q{NONE}", "%q{PATH}",
		"logs/%q{UP}/out",
	};
	char why[128], host[RANK_HOST_LENGTH], *name;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		name = output_expand(good[i].pattern, 42, variable, why);

		EQ_S(name, good[i].name);
		free(name);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		*why = '\0';
		OK(!output_expand(bad[i], 42, variable, why) && *why, "%s: %s", bad[i], why);
	}
	name = output_expand("%h", 42, variable, why);
	EQ_S(name, rank_host(host));
	OK(*host && !strchr(host, '.'), "the machine is %s", host);
	free(name);
	has_rank = false;
	OK(!output_expand("run.%r.mur", 42, variable, why), "no rank: %s", why);
}

int main(void)
{
	message_init("tool", 1);
	test_plain();
	test_failures();
	test_removal();
	test_foreign_link();
	test_foreign_file();
	test_expand();
	return done_testing();
}
