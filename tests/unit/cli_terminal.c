/* cli_terminal.c -- a terminal gets what it shows and nothing that it obeys, whoever prints,
 * however the bytes are cut into pieces; anything else gets the bytes as they are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/output.h"
#include "tests/lib/tap.h"

static const struct {
	const char *text, *want;
} cases[] = {
	{ "plain", "plain" },
	{ "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
	  "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80" },
	{ "\033]0;pwned\a", "?]0;pwned?" },
	{ "a\x7f\x01z", "a??z" },
	{ "\xc2\x80\xc2\x9b" "31m\xc2\x9f\xc2\xa0", "??31m?\xc2\xa0" },	/* C1 */
	{ "\x9b" "31m", "?31m" },
	{ "so\xc2\xad" "ft", "so?ft" },
	{ "\xd8\x9c", "?" },			/* U+061C */
	{ "\xe2\x80\xaetxt.exe", "?txt.exe" },	/* right to left */
	{ "\xe2\x80\x8b\xe2\x80\x8f\xe2\x81\xa6\xef\xbb\xbf\xef\xbf\xb9", "?????" },
	{ "\xe2\x80\xa6\xe2\x80\xa7\xe2\x80\xaf", "\xe2\x80\xa6\xe2\x80\xa7\xe2\x80\xaf" },
	{ "\xf3\xa0\x81\xa1", "?" },		/* a tag */
	{ "\xc0\xaf\xe0\x80\xaf\xed\xa0\x80", "????????" },	/* too long, surrogates */
	{ "\xf4\x90\x80\x80\xff", "?????" },
	{ "\xe2\x82", "??" },			/* cut */
	{ "\xe2\x82z\xc3", "??z?" },
	{ "", "" },
};
enum { CASES = sizeof(cases) / sizeof(*cases) };

static void test_texts(void)
{
	for (size_t i = 0; i < CASES; i++) {
		char text[64] = "", copy[64];
		FILE *out = fmemopen(text, sizeof(text), "w");

		terminal_put(out, cases[i].text);
		fclose(out);
		EQ_S(text, cases[i].want);
		strcpy(copy, cases[i].text);
		EQ_S(terminal_clean_text(copy), cases[i].want);
	}
	EQ_U(terminal_clean((char[]){ 'a', 0, '\n' }, 3), 3);
}

/* A terminal of our own that changes nothing. */
static int open_terminal(int *other)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	struct termios raw;

	if (fd < 0 || grantpt(fd) < 0 || unlockpt(fd) < 0)
		return -1;
	*other = open(ptsname(fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*other < 0 || tcgetattr(*other, &raw) < 0)
		return -1;
	cfmakeraw(&raw);
	tcsetattr(*other, TCSANOW, &raw);
	return fd;
}

static int master, slave;
static char name[64];

enum { MARK = 1 }; /* behind all that was written: the kernel may deliver it in pieces */

/* Reads up to the mark. Returns the bytes before it. */
static size_t read_to_mark(char *seen, size_t size)
{
	struct pollfd ready = { .fd = master, .events = POLLIN };
	size_t length = 0;
	ssize_t n;

	while (length < size && poll(&ready, 1, -1) > 0 &&
	       (n = read(master, seen + length, size - length)) > 0) {
		length += (size_t)n;
		if (seen[length - 1] == MARK)
			return length - 1;
	}
	return length;
}

/* What arrives of TEXT, flushed after every PIECE bytes. */
static const char *shown(const char *text, size_t piece, bool has_color)
{
	static char seen[256];
	struct output out;
	char mark = MARK;

	output_open(&out, name, 0);
	out.has_color = has_color;
	for (size_t i = 0; text[i]; i++) {
		putc(text[i], out.stream);
		if ((i + 1) % piece == 0)
			fflush(out.stream);
	}
	EQ_I(output_close(&out), 0);
	EQ_I(write(slave, &mark, 1), 1);
	seen[read_to_mark(seen, sizeof(seen) - 1)] = '\0';
	return seen;
}

static void test_outputs(void)
{
	master = open_terminal(&slave);
	if (master < 0) {
		skip("no terminals here");
		return;
	}
	snprintf(name, sizeof(name), "%s", ptsname(master));
	for (size_t piece = 1; piece < 6; piece++) {
		for (size_t i = 0; i < CASES; i++)
			EQ_S(shown(cases[i].text, piece, piece == 2), cases[i].want);
		EQ_S(shown("a\tb\n", piece, false), "a\tb\n");
		EQ_S(shown("\033[34mblue\033[0m\033[1;31m", piece, true),
		     "\033[34mblue\033[0m\033[1;31m");
		EQ_S(shown("\033[34mblue\033[0m", piece, false), "?[34mblue?[0m");
		EQ_S(shown("\033[2J\033[1;1H\033]0;\033[\033", piece, true), "?[2J?[1;1H?]0;?[?");
		EQ_S(shown("\033[1234567890123456789012m", piece, true),
		     "?[1234567890123456789012m");
	}
	close(slave);
	close(master);
}

static void test_widths(void)
{
	static const struct {
		const char *text;
		unsigned int columns;
	} widths[] = {
		{ "", 0 }, { "main", 4 }, { "na\xc3\xafve", 5 }, { "\u65e5\u672c", 4 },
		{ "e\u0301", 1 }, { "\U0001f600", 2 }, { "\xe2\x82", 2 },
	};

	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++)
		EQ_U(terminal_width(widths[i].text, strlen(widths[i].text)), widths[i].columns);
}

static void test_columns(void)
{
	struct winsize size = { .ws_col = 61 };
	int fd, of_terminal;

	EQ_U(terminal_columns(-1), 0);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	setenv("COLUMNS", "50", 1);
	EQ_U(terminal_columns(fd), 0);
	close(fd);
	fd = open_terminal(&of_terminal);
	if (fd < 0) {
		skip("no terminals here");
		return;
	}
	EQ_U(terminal_columns(of_terminal), 50);
	setenv("COLUMNS", "many", 1);
	EQ_U(terminal_columns(of_terminal), 80);
	unsetenv("COLUMNS");
	EQ_U(terminal_columns(of_terminal), 80);
	EQ_I(ioctl(of_terminal, TIOCSWINSZ, &size), 0);
	EQ_U(terminal_columns(of_terminal), 61);
	close(of_terminal);
	close(fd);
}

static void test_files(void)
{
	char seen[256] = "";
	struct output out;
	int fd;

	strcpy(name, "file");
	unlink(name);
	for (size_t i = 0; i < CASES; i++) {
		output_open(&out, name, 0);
		fputs(cases[i].text, out.stream);
		EQ_I(output_close(&out), 0);
		fd = open(name, O_RDONLY | O_CLOEXEC);
		EQ_I(read(fd, seen, sizeof(seen)), (ssize_t)strlen(cases[i].text));
		EQ_MEM(seen, cases[i].text, strlen(cases[i].text));
		close(fd);
	}
}

int main(void)
{
	test_texts();
	test_outputs();
	test_files();
	test_widths();
	test_columns();
	return done_testing();
}
