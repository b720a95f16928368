/* print_live.c -- A live view puts two looks side by side, and fits terminals of all sizes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/terminal.h"
#include "cli/xmalloc.h"
#include "memusageprint/live/cells.h"
#include "memusageprint/live/curve.h"
#include "memusageprint/live/layout.h"
#include "memusageprint/live/rows.h"
#include "memusageprint/live/view.h"
#include "tests/lib/tap.h"

/* ---- rows --------------------------------------------------------------------------------- */

enum { PARSE = 1, LOAD, GONE };

static struct live_values values(int64_t bytes, uint64_t total, int64_t blocks)
{
	return (struct live_values){ .bytes = bytes, .total = total, .blocks = blocks };
}

static void test_rows(void)
{
	struct strings names = { .count = 0 };
	struct live_item now[] = { { PARSE, values(100, 1000, 1) }, { LOAD, values(50, 60, 5) },
				   { PARSE, values(20, 30, 1) }, { 0, values(999, 9, 9) },
				   { 77, values(1, 1, 1) } };
	struct live_item before[] = { { PARSE, values(60, 0, 0) }, { LOAD, values(70, 0, 0) } };
	struct live_item mark[] = { { GONE, values(10, 0, 0) }, { PARSE, values(120, 0, 0) } };
	const struct live_sheets sheets = { { now, 5 }, { before, 2 }, { mark, 2 }, 2 };
	struct live_order order = { .column = LIVE_BYTES, .filter = "" };
	struct live_rows r;

	strings_add(&names, "parse\037 (b.c:1)", 14);
	strings_add(&names, "Load\037 (a.c:2)", 13);
	strings_add(&names, "gone", 4);
	rows_build(&r, &names, &sheets, &order);
	EQ_U(r.count, 3);
	EQ_U(r.row[0].key, PARSE);
	EQ_I(r.row[0].values.bytes, 120);
	EQ_U(r.row[0].values.total, 1030);
	EQ_I(r.row[0].values.blocks, 2);
	EQ_D(r.row[0].rate, 30, 1e-9);
	EQ_I(r.row[0].since, 0);
	EQ_D(r.row[1].rate, -10, 1e-9);
	EQ_I(r.row[2].since, -10);
	EQ_I(r.sum.values.bytes, 170);
	rows_free(&r);
	order.column = LIVE_RATE;
	order.is_reversed = true;
	rows_build(&r, &names, &sheets, &order);
	EQ_U(r.row[0].key, LOAD);
	rows_free(&r);
	order = (struct live_order){ .column = LIVE_NAME, .filter = "" };
	rows_build(&r, &names, &sheets, &order);
	EQ_U(r.row[0].key, GONE);
	EQ_U(r.row[1].key, LOAD);
	rows_free(&r);
	order.filter = "LOAD (a";
	rows_build(&r, &names, &sheets, &order);
	EQ_U(r.count, 1);
	EQ_U(r.left_out, 2);
	rows_free(&r);
	rows_free(&r);
	strings_free(&names);
}

/* ---- the curve ---------------------------------------------------------------------------- */

static void test_curve(void)
{
	struct live_curve *c = xcalloc(1, sizeof(*c));
	double heap[4], rss[4], most = 0;
	bool has_rss;

	EQ_U(curve_fit(c, heap, rss, 4), 0);
	curve_append(c, &(struct live_point){ 100, 10, 15 });
	curve_append(c, &(struct live_point){ 200, 30, 40 });
	curve_append(c, &(struct live_point){ 200, 20, 35 });
	EQ_U(c->count, 2);
	EQ_U(curve_fit(c, heap, rss, 4), 200);
	EQ_D(heap[0], -1, 0);
	EQ_D(heap[1], 10, 0);
	EQ_D(heap[2], 10, 0);
	EQ_D(heap[3], 20, 0);
	EQ_D(rss[3], 35, 0);
	EQ_D(curve_scale(c, &has_rss), 35, 0);
	IS_TRUE(has_rss);
	curve_append(c, &(struct live_point){ 300, 1, 1000 });
	EQ_D(curve_scale(c, &has_rss), 20, 0);
	IS_FALSE(has_rss);
	for (uint64_t i = 1; i <= 3 * LIVE_POINTS; i++)
		curve_append(c, &(struct live_point){ 300 + i, i == 5000 ? 1e6 : 2, 1 });
	IN_U(c->count, LIVE_POINTS / 2, LIVE_POINTS);
	EQ_U(c->point[c->count - 1].ns, 300 + 3 * LIVE_POINTS);
	for (size_t i = 1; i < c->count; i++) {
		most = c->point[i].heap > most ? c->point[i].heap : most;
		if (c->point[i].ns <= c->point[i - 1].ns)
			FAIL("points are in order");
	}
	EQ_D(most, 1e6, 0);
	free(c);
}

/* ---- the view ----------------------------------------------------------------------------- */

/* A process with COUNT others; names are as long as they get. */
static struct look *make_look(struct view *v, uint64_t ns, int64_t heap, uint32_t count)
{
	struct look *l = xcalloc(1, sizeof(*l));

	*l = (struct look){ .ns = ns, .start_ns = 1000, .pid = 4711, .heap = heap, .peak = heap,
			    .total = UINT64_MAX / 3, .calls = UINT64_MAX / 5,
			    .command = xstrdup("./server --a-long-option=\xc3\xa4\xc3\xb6 "
					       "another argument that is long, and more of it") };
	l->processes.item = xcalloc(count + 1, sizeof(*l->processes.item));
	l->process_pid = xcalloc(count + 1, sizeof(*l->process_pid));
	for (uint32_t i = 0; i < count; i++) {
		char *name = xasprintf("%u worker \xe6\x97\xa5\xe6\x9c\xac %*u", i, (int)i, i);

		l->process_pid[i] = 100 + i;
		l->processes.item[i] = (struct live_item){
			strings_add(&v->places.names, name, strlen(name)),
			values(heap * (i + 1), (uint64_t)heap << i % 30, (int64_t)1 << i % 62) };
		free(name);
	}
	l->processes.count = count;
	return l;
}

static void take_look(struct view *v, uint64_t ns, int64_t heap, uint32_t count)
{
	struct look *l = make_look(v, ns, heap, count);
	const struct live_answer answer = { .rss = (uint64_t)heap * 2, .threads = 3, .moved = 5 };

	view_take(v, l, &answer);
	free(l);
}

static bool is_mark(char c)
{
	return c == *LIVE_PLAIN || c == *LIVE_STRONG || c == *LIVE_TITLE || c == *LIVE_BAR ||
	       c == *LIVE_BAND;
}

/* Returns the columns of a line without its marks. */
static unsigned int shown_width(const char *line)
{
	char *text = xstrdup(line), *to = text;
	unsigned int width;

	for (const char *at = line; *at; at++) {
		if (!is_mark(*at))
			*to++ = *at;
	}
	width = terminal_width(text, (size_t)(to - text));
	free(text);
	return width;
}

static char **lay_out(struct view *v, unsigned int width, unsigned int height, bool has_utf8)
{
	const struct live_size size = { width, height, has_utf8 };
	char **line = xcalloc(height + 1, sizeof(*line));

	layout_lines(v, &size, line);
	return line;
}

static void free_lines(char **line, unsigned int height)
{
	for (unsigned int i = 0; i < height; i++)
		free(line[i]);
	free(line);
}

/* Returns how many lines are missing or too wide. */
static unsigned int count_bad_lines(struct view *v, unsigned int width, unsigned int height,
				    bool has_utf8)
{
	char **line = lay_out(v, width, height, has_utf8);
	unsigned int bad = 0;

	for (unsigned int i = 0; i < height; i++) {
		if (!line[i] || shown_width(line[i]) > width) {
			diag("%u x %u: line %u is bad: %s", width, height, i, line[i]);
			bad++;
		}
	}
	free_lines(line, height);
	return bad;
}

static void test_all_sizes(struct view *v, const char *what)
{
	unsigned int bad = 0;

	for (unsigned int width = 20; width <= 200; width += width < 90 ? 1 : 11) {
		for (unsigned int height = 5; height <= 60; height += height < 26 ? 1 : 7)
			bad += count_bad_lines(v, width, height, width % 2);
	}
	bad += count_bad_lines(v, 1, 1, true);
	OK(bad == 0, "%s fits in all sizes", what);
}

static const char *join_lines(char **line, unsigned int count)
{
	static char text[64 * 1024];
	size_t used = 0;

	for (unsigned int i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\n", line[i]);
	return text;
}

static void test_sizes(void)
{
	struct view *v = xcalloc(1, sizeof(*v));
	char **line;

	view_init(v, TOP_BY_LINE, "");
	v->table = LIVE_PROCESSES;
	test_all_sizes(v, "a view before its first look");
	take_look(v, 1000000000, 1 << 20, 40);
	take_look(v, UINT64_C(999000000000), 1 << 30, 40);
	test_all_sizes(v, "a table");
	v->answer.left_out = 12;
	test_all_sizes(v, "processes that are too many");
	line = lay_out(v, 80, 24, true);
	HAS_S(join_lines(line, 24), "40 processes by live, 12 more are not shown");
	free_lines(line, 24);
	v->answer.left_out = 0;
	view_press(v, LIVE_KEY_END);
	test_all_sizes(v, "its end");
	line = lay_out(v, 80, 24, true);
	HAS_S(line[21], LIVE_BAND);
	free_lines(line, 24);
	view_press(v, 'h');
	test_all_sizes(v, "help");
	view_press(v, 'x');
	view_press(v, '/');
	for (int i = 0; i < 100; i++)
		view_press(v, 'w');
	test_all_sizes(v, "a filter");
	line = lay_out(v, 30, 7, true);
	HAS_S(line[0], "too small: 40 x 8");
	free_lines(line, 7);
	view_free(v);
	free(v);
}

static void test_keys(void)
{
	struct view *v = xcalloc(1, sizeof(*v));

	view_init(v, TOP_BY_LINE, "");
	v->table = LIVE_PROCESSES;
	take_look(v, 1000000000, 1000, 3);
	take_look(v, 3000000000, 1500, 3);
	EQ_U(v->rows.count, 3);
	EQ_D(v->rows.row[0].rate, 750, 1e-9);
	EQ_I(v->rows.row[0].since, 1500);
	EQ_I(view_press(v, 'm'), LIVE_WISH_MARK);
	view_set_mark(v);
	EQ_I(v->rows.row[0].since, 0);
	take_look(v, 4000000000, 1600, 3);
	EQ_I(v->rows.row[0].since, 300);
	view_press(v, 'r');
	EQ_I(v->rows.row[0].values.bytes, 1600);
	view_press(v, '1');
	EQ_I(v->rows.row[0].values.bytes, 4800);
	view_press(v, '6');
	EQ_I(v->column[LIVE_PROCESSES], LIVE_NAME);
	view_press(v, LIVE_KEY_RIGHT);
	EQ_I(v->column[LIVE_PROCESSES], LIVE_NAME);
	view_press(v, LIVE_KEY_DOWN);
	EQ_U(v->selected, 1);
	view_press(v, LIVE_KEY_PAGE_DOWN);
	view_press(v, LIVE_KEY_PAGE_DOWN);
	EQ_U(v->selected, 2);
	EQ_I(view_press(v, LIVE_KEY_ENTER), LIVE_WISH_PROCESS);
	EQ_U(v->wanted_pid, 102);
	EQ_I(v->table, LIVE_PLACES);
	EQ_I(view_press(v, ' '), LIVE_WISH_NONE);
	IS_TRUE(v->is_paused);
	EQ_I(view_press(v, ' '), LIVE_WISH_LOOK);
	EQ_I(view_press(v, 's'), LIVE_WISH_RECORD);
	EQ_I(view_press(v, 'q'), LIVE_WISH_QUIT);
	EQ_I(view_press(v, LIVE_KEY_INTERRUPT), LIVE_WISH_INTERRUPT);
	view_press(v, 'h');
	EQ_I(view_press(v, 'q'), LIVE_WISH_NONE);
	view_press(v, '/');
	EQ_I(view_press(v, 'q'), LIVE_WISH_NONE);
	EQ_S(v->filter, "q");
	view_press(v, LIVE_KEY_DELETE);
	EQ_S(v->filter, "");
	view_press(v, LIVE_KEY_ESCAPE);
	EQ_I(view_press(v, LIVE_KEY_CLOSED), LIVE_WISH_QUIT);
	view_free(v);
	free(v);
}

/* ---- cells -------------------------------------------------------------------------------- */

static void test_cells(void)
{
	struct live_row row = { .values = { .bytes = -5, .total = 12345, .blocks = 12345678 },
				.rate = -2048, .since = 1 };
	char text[UNITS_LENGTH + 1], *cut;
	size_t longest = 0;

	EQ_S(cells_figure(text, &row, LIVE_BYTES), "-5 B");
	EQ_S(cells_figure(text, &row, LIVE_TOTAL), "12.1 KiB");
	EQ_S(cells_figure(text, &row, LIVE_BLOCKS), "12.3 M");
	EQ_S(cells_figure(text, &row, LIVE_RATE), "-2.00 KiB");
	EQ_S(cells_figure(text, &row, LIVE_SINCE), "+1 B");
	row.rate = 0.2;
	EQ_S(cells_figure(text, &row, LIVE_RATE), "0");
	for (int shift = 0; shift < 63; shift++) {
		row.values.blocks = -(INT64_C(1) << shift) - 1;
		row.since = row.values.blocks;
		for (int c = 0; c < LIVE_NAME; c++) {
			size_t length = strlen(cells_figure(text, &row, (enum live_column)c));

			longest = length > longest ? length : longest;
		}
	}
	IN_U(longest, 5, CELL_WIDTH + 1);
	cut = cells_cut("\xe6\x97\xa5\xe6\x9c\xac", 3);
	EQ_S(cut, "\xe6\x97\xa5~");
	free(cut);
}

static void test_branches(void)
{
	struct view *v = xcalloc(1, sizeof(*v));
	struct live_row row = { .branch = { .depth = 3, .bars = 2, .is_head = true } };
	char *name;

	view_init(v, TOP_BY_LINE, "");
	v->table = LIVE_CALLERS;
	v->callers.names = TOP_BY_LINE;
	row.key = strings_add(&v->places.names, "parse\037 (b.c:1)", 14);
	name = cells_name(v, &row, 0, true);
	EQ_S(name, "  \u2502 \u251c parse (b.c:1)");
	free(name);
	row.branch.is_last = true;
	name = cells_name(v, &row, 0, false);
	EQ_S(name, "  | `-parse (b.c:1)");
	free(name);
	row.branch.depth = 60;
	name = cells_name(v, &row, 20, true);
	EQ_U(terminal_width(name, strlen(name)), 15);
	free(name);
	view_free(v);
	free(v);
}

/* ---- the output of the program ------------------------------------------------------------ */

static void test_output(void)
{
	static const char text[] = "one\r\n\tx\ty\n\033[1;31mred\033[0m\n\033]0;title\atext\n50%\r100%\n"
				   "a\0b\001\n\n\033[3";
	static const char *const want[] = { "one", "        x       y", "red", "text", "100%",
					    "a?b?", "", "" };
	struct live_output o = { .fd = -1 };

	output_split(&o, text, sizeof(text) - 1);
	EQ_U(o.count, 8);
	for (uint32_t i = 0; i < o.count && i < 8; i++)
		EQ_S(o.line[i], want[i]);
	output_split(&o, "", 0);
	EQ_U(o.count, 0);
	IS_FALSE(output_read(&o));
	output_free(&o);
	output_free(&o);
}

static void test_output_pane(void)
{
	struct view *v = xcalloc(1, sizeof(*v));
	char **line;

	view_init(v, TOP_BY_LINE, "");
	v->table = LIVE_PROCESSES;
	take_look(v, 1000000000, 1000, 3);
	view_press(v, 'o');
	IS_FALSE(v->has_output);
	HAS_S(v->message, "not kept for the view");
	v->output.fd = 0;
	view_press(v, 'o');
	IS_TRUE(v->has_output);
	output_split(&v->output, "1\n2\n3\n4\n5\n6\n7\n8\n9\n", 18);
	test_all_sizes(v, "output");
	line = lay_out(v, 80, 10, true);
	EQ_S(line[8 - 1], "9");
	free_lines(line, 10);
	view_press(v, LIVE_KEY_HOME);
	line = lay_out(v, 80, 10, true);
	EQ_S(line[3], "1");
	HAS_S(line[2], "scrolled up");
	free_lines(line, 10);
	view_press(v, LIVE_KEY_DOWN);
	line = lay_out(v, 80, 10, true);
	EQ_S(line[3], "2");
	free_lines(line, 10);
	view_press(v, LIVE_KEY_ESCAPE);
	IS_FALSE(v->has_output);
	EQ_I(v->table, LIVE_PROCESSES);
	v->output.fd = -1;
	view_free(v);
	free(v);
}

int main(void)
{
	test_branches();
	test_output();
	test_output_pane();
	test_rows();
	test_curve();
	test_cells();
	test_keys();
	test_sizes();
	return done_testing();
}
