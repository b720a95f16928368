/* screen_curses.c -- The terminal of a live view, by ncurses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/screen.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "cli/message.h"

static SCREEN *screen;
static FILE *terminal;
static bool has_color, has_utf8;

static bool is_terminal_type_usable(void)
{
	const char *type = getenv("TERM");

	return type && *type && strcmp(type, "dumb") != 0;
}

/* Ctrl-C is a key of the view; Ctrl-Z stops as everywhere. */
static void disable_interrupt_key(void)
{
	struct termios t;

	if (tcgetattr(fileno(terminal), &t) < 0)
		return;
	t.c_cc[VINTR] = _POSIX_VDISABLE;
	t.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(fileno(terminal), TCSANOW, &t);
	def_prog_mode();
}

static void prepare_screen(void)
{
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	disable_interrupt_key();
	if (has_color && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(1, COLOR_MAGENTA, -1);
	} else {
		has_color = false;
	}
}

int screen_open(bool with_color)
{
	terminal = fopen("/dev/tty", "r+e");
	if (!terminal || !is_terminal_type_usable()) {
		warn(terminal ? "the terminal (TERM=%s) cannot show the live view: add --once for "
				"a text" :
				"%sthere is no terminal for the live view: add --once for a text",
		     terminal ? (getenv("TERM") ? getenv("TERM") : "") : "");
		return -1;
	}
	setlocale(LC_ALL, "");
	has_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	has_color = with_color;
	screen = newterm(NULL, terminal, terminal);
	if (!screen) {
		warn("the terminal type %s is not known here: set TERM, or add --once for a text",
		     getenv("TERM"));
		return -1;
	}
	set_term(screen);
	prepare_screen();
	return 0;
}

struct live_size screen_size(void)
{
	struct live_size size = { .has_utf8 = has_utf8 };
	struct winsize now;

	if (ioctl(fileno(terminal), TIOCGWINSZ, &now) == 0 && now.ws_col > 0 && now.ws_row > 0)
		resizeterm(now.ws_row, now.ws_col);
	size.width = (unsigned int)COLS < LIVE_WIDTH_MAX ? (unsigned int)COLS : LIVE_WIDTH_MAX;
	size.height = (unsigned int)LINES < LIVE_HEIGHT_MAX ? (unsigned int)LINES :
							       LIVE_HEIGHT_MAX;
	return size;
}

static void set_look(char mark)
{
	const attr_t bar = has_color ? (attr_t)COLOR_PAIR(1) : A_BOLD;

	switch (mark) {
	case '\016': attrset((int)(A_BOLD | (has_color ? (attr_t)COLOR_PAIR(1) : 0))); break;
	case '\017': attrset(A_UNDERLINE); break;
	case '\021': attrset((int)bar); break;
	case '\022': attrset(A_REVERSE); break;
	default: attrset(A_NORMAL); break;
	}
}

static bool is_mark(char c)
{
	return c == *LIVE_PLAIN || c == *LIVE_STRONG || c == *LIVE_TITLE || c == *LIVE_BAR ||
	       c == *LIVE_BAND;
}

/* In another encoding, a byte beyond ASCII would be another character. */
static void put_text(const char *text, size_t length)
{
	for (size_t i = 0; !has_utf8 && i < length; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (c < 0x80)
			addch(c);
		else if (c >= 0xc0)
			addch('?');
	}
	if (has_utf8)
		addnstr(text, (int)length);
}

static void put_line(const char *text)
{
	attrset(A_NORMAL);
	while (*text) {
		size_t length = 0;

		while (text[length] && !is_mark(text[length]))
			length++;
		put_text(text, length);
		text += length;
		if (*text)
			set_look(*text++);
	}
}

void screen_show(char *const *line, const struct live_size *size)
{
	erase();
	for (unsigned int i = 0; i < size->height; i++) {
		move((int)i, 0);
		put_line(line[i]);
	}
	refresh();
}

int screen_fd(void)
{
	return fileno(terminal);
}

int screen_key(void)
{
	static const struct { int curses, key; } keys[] = {
		{ KEY_UP, LIVE_KEY_UP }, { KEY_DOWN, LIVE_KEY_DOWN }, { KEY_LEFT, LIVE_KEY_LEFT },
		{ KEY_RIGHT, LIVE_KEY_RIGHT }, { KEY_PPAGE, LIVE_KEY_PAGE_UP },
		{ KEY_NPAGE, LIVE_KEY_PAGE_DOWN }, { KEY_HOME, LIVE_KEY_HOME },
		{ KEY_END, LIVE_KEY_END }, { KEY_ENTER, LIVE_KEY_ENTER }, { '\r', LIVE_KEY_ENTER },
		{ '\n', LIVE_KEY_ENTER }, { KEY_BACKSPACE, LIVE_KEY_DELETE },
		{ '\b', LIVE_KEY_DELETE }, { KEY_RESIZE, LIVE_KEY_RESIZE },
	};
	int c = getch();

	if (c == ERR)
		return LIVE_KEY_NONE;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (keys[i].curses == c)
			return keys[i].key;
	}
	return c < 128 ? c : LIVE_KEY_RESIZE;
}

void screen_close(void)
{
	if (screen) {
		endwin();
		delscreen(screen);
		screen = NULL;
	}
	if (terminal)
		fclose(terminal);
	terminal = NULL;
}
