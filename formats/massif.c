/* massif.c -- massif.out, the profile of Valgrind's Massif: read, and look at.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

/* A node of which children are still to come. */
struct open_node {
	uint32_t index;		/* of massif_file.nodes */
	uint32_t missing;
};

struct massif_parser {
	struct massif_file *m;
	struct textfile *in;
	struct mu_error *err;
	const char *at;		/* in the current line */
	const char *end;
	const struct unit_word *unit;	/* NULL: not known yet */
	uint64_t text_bytes;
	struct open_node *open;	/* MASSIF_DEPTH_MAX of them */
	size_t desc_length, cmd_length;
};

struct unit_word {
	const char *word;
	enum massif_unit unit;
};

enum { SECONDS, UNITS = 4 };

static const struct unit_word units[UNITS] = {
	[SECONDS] = { "s", MASSIF_MS },
	{ "i", MASSIF_INSTRUCTIONS },
	{ "ms", MASSIF_MS },
	{ "B", MASSIF_BYTES },
};

enum { SHOWN = 60 };	/* characters of a wrong line in a message */

/* ---- errors ------------------------------------------------------------------------------ */

static int __attribute__((format(printf, 3, 4)))
fail_at_line(struct massif_parser *p, enum mu_error_code code, const char *format, ...)
{
	char what[160];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	/* A line that the end of the file cut short cannot be expected to make sense. */
	if (code == MU_ERROR_FORMAT && !p->in->has_end && p->m->count > 0)
		code = MU_ERROR_TRUNCATED;
	return mu_error_set(p->err, code, p->in->offset, "line %llu: %s",
			    (unsigned long long)p->in->number, what);
}

static int refuse_line(struct massif_parser *p, const char *expected)
{
	int length = (int)p->in->length;

	return fail_at_line(p, MU_ERROR_FORMAT, "expected %s, got '%.*s'%s", expected,
			    length < SHOWN ? length : SHOWN, p->in->line,
			    length > SHOWN ? "..." : "");
}

/* ---- words and numbers of a line --------------------------------------------------------- */

static bool is_blank_character(char c)
{
	return c == ' ' || c == '\t';
}

/* Tells whether only blanks or a comment are left. */
static bool is_at_line_end(struct massif_parser *p)
{
	while (p->at < p->end && is_blank_character(*p->at))
		p->at++;
	return p->at == p->end || *p->at == '#';
}

static bool skip_expected_word(struct massif_parser *p, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0)
		return false;
	p->at += length;
	return true;
}

/* Digits that make 64 bits. Also false when there is none. */
static bool parse_number(struct massif_parser *p, uint64_t *value)
{
	const char *from = p->at;

	*value = 0;
	while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (unsigned)(*p->at - '0'), value))
			return false;
		p->at++;
	}
	return p->at > from;
}

/* The next line that says something: 1, 0 at the end of the file, -1. */
static int read_next_line(struct massif_parser *p)
{
	int got;

	while ((got = textfile_line(p->in, p->err)) > 0) {
		p->at = p->in->line;
		p->end = p->at + p->in->length;
		if (memchr(p->at, '\0', p->in->length))
			return fail_at_line(p, MU_ERROR_FORMAT, "a zero byte: this is no text");
		if (!is_at_line_end(p))
			break;
	}
	p->at = p->in->line;
	return got;
}

/* The next line must exist and begin with WORD. */
static int expect_line_start(struct massif_parser *p, const char *word)
{
	char expected[32];
	int got = read_next_line(p);

	snprintf(expected, sizeof(expected), "'%s'", word);
	if (got < 0)
		return -1;
	if (got == 0)
		return fail_at_line(p, MU_ERROR_TRUNCATED, "expected %s, got the end of the file",
				    expected);
	return skip_expected_word(p, word) ? 0 : refuse_line(p, expected);
}

static int expect_number(struct massif_parser *p, const char *word, uint64_t *value)
{
	if (expect_line_start(p, word) < 0)
		return -1;
	while (p->at < p->end && is_blank_character(*p->at))
		p->at++;
	if (!parse_number(p, value) || !is_at_line_end(p))
		return refuse_line(p, "a number of 64 bits");
	return 0;
}

/* heaptrack's seconds, in ms: "0.344", "1234.5", "1.23457e+06". */
static int expect_seconds(struct massif_parser *p, uint64_t *value)
{
	char text[32] = "", *rest;
	double seconds;

	if (expect_line_start(p, "time=") < 0)
		return -1;
	if ((size_t)(p->end - p->at) < sizeof(text))
		memcpy(text, p->at, (size_t)(p->end - p->at));
	seconds = strtod(text, &rest);
	if (rest == text || *rest != '\0' || !(seconds >= 0 && seconds < 1e15))
		return refuse_line(p, "a number of seconds");
	*value = (uint64_t)(seconds * 1000 + 0.5);
	return 0;
}

/* ---- trees ------------------------------------------------------------------------------- */

static int append_tree_node(struct massif_parser *p, const struct massif_node *node)
{
	struct massif_file *m = p->m;

	if (m->node_count == MASSIF_NODES_MAX)
		return fail_at_line(p, MU_ERROR_FORMAT, "more than %d lines of trees",
				    MASSIF_NODES_MAX);
	array_reserve(&m->nodes, &m->node_room, m->node_count + 1, sizeof(*m->nodes));
	m->nodes[m->node_count++] = *node;
	return 0;
}

static int add_node_text(struct massif_parser *p, uint32_t *number)
{
	struct massif_file *m = p->m;
	size_t length = (size_t)(p->end - p->at);
	uint32_t before = m->texts.count;

	*number = strings_add(&m->texts, p->at, length);
	if (m->texts.count > before)
		p->text_bytes += length + 1;
	if (p->text_bytes > MASSIF_TEXT_MAX)
		return fail_at_line(p, MU_ERROR_FORMAT, "more than %d bytes of names",
				    MASSIF_TEXT_MAX);
	return 0;
}

/* " n3: 1234 0x401136: main (prog.c:7)", of a snapshot of TOTAL bytes. Indentation is ignored: the
 * counts of children define the tree. */
static int parse_tree_node(struct massif_parser *p, uint64_t total, struct massif_node *node)
{
	uint64_t children;

	while (p->at < p->end && is_blank_character(*p->at))
		p->at++;
	if (!skip_expected_word(p, "n") || !parse_number(p, &children) ||
	    !skip_expected_word(p, ":"))
		return refuse_line(p, "a line of a tree, 'nCHILDREN: BYTES NAME'");
	while (p->at < p->end && is_blank_character(*p->at))
		p->at++;
	if (!parse_number(p, &node->bytes))
		return refuse_line(p, "a line of a tree, 'nCHILDREN: BYTES NAME'");
	if (children > MASSIF_NODES_MAX)
		return fail_at_line(p, MU_ERROR_FORMAT, "more than %d lines of trees",
				    MASSIF_NODES_MAX);
	if (node->bytes > total)
		return fail_at_line(p, MU_ERROR_FORMAT, "%llu bytes in a snapshot of %llu",
				    (unsigned long long)node->bytes, (unsigned long long)total);
	node->children = (uint32_t)children;
	return add_node_text(p, &node->text);
}

/* Go down to the children of the node that was added last, or up to where some are missing.
 * Returns the new depth. */
static uint32_t next_node_depth(struct massif_parser *p, uint32_t depth)
{
	struct massif_node *nodes = p->m->nodes;
	uint32_t last = (uint32_t)p->m->node_count - 1;

	p->open[depth] = (struct open_node){ .index = last, .missing = nodes[last].children };
	depth++;
	while (depth > 0 && p->open[depth - 1].missing == 0) {
		depth--;
		nodes[p->open[depth].index].size = last - p->open[depth].index + 1;
	}
	if (depth > 0)
		p->open[depth - 1].missing--;
	return depth;
}

static int read_snapshot_tree(struct massif_parser *p, uint64_t total)
{
	uint32_t depth = 0;

	do {
		struct massif_node node = { .depth = depth };
		int got = read_next_line(p);

		if (got < 0)
			return -1;
		if (got == 0)
			return fail_at_line(p, MU_ERROR_TRUNCATED,
					    "expected a line of a tree, got the end of the file");
		if (depth == MASSIF_DEPTH_MAX)
			return fail_at_line(p, MU_ERROR_FORMAT, "a tree of more than %d levels",
					    MASSIF_DEPTH_MAX);
		if (parse_tree_node(p, total, &node) < 0 || append_tree_node(p, &node) < 0)
			return -1;
		depth = next_node_depth(p, depth);
	} while (depth > 0);
	return 0;
}

/* ---- snapshots --------------------------------------------------------------------------- */

static int read_snapshot_kind(struct massif_parser *p, enum massif_kind *kind)
{
	if (expect_line_start(p, "heap_tree=") < 0)
		return -1;
	*kind = MASSIF_PLAIN;
	if (skip_expected_word(p, "detailed"))
		*kind = MASSIF_DETAILED;
	else if (skip_expected_word(p, "peak"))
		*kind = MASSIF_PEAK;
	else if (!skip_expected_word(p, "empty"))
		return refuse_line(p, "'empty', 'detailed' or 'peak' after 'heap_tree='");
	return is_at_line_end(p) ? 0 : refuse_line(p, "nothing behind the word");
}

/* Reads the lines of a snapshot after its number. */
static int read_snapshot_fields(struct massif_parser *p, struct massif_snapshot *s)
{
	uint64_t total;

	if ((p->unit == &units[SECONDS] ? expect_seconds(p, &s->time) :
			     expect_number(p, "time=", &s->time)) < 0 ||
	    expect_number(p, "mem_heap_B=", &s->heap) < 0 ||
	    expect_number(p, "mem_heap_extra_B=", &s->extra) < 0 ||
	    expect_number(p, "mem_stacks_B=", &s->stacks) < 0)
		return -1;
	if (__builtin_add_overflow(s->heap, s->extra, &total) ||
	    __builtin_add_overflow(total, s->stacks, &total))
		return fail_at_line(p, MU_ERROR_FORMAT,
				    "heap, extra and stacks exceed 64 bits together");
	if (read_snapshot_kind(p, &s->kind) < 0)
		return -1;
	return s->kind == MASSIF_PLAIN ? 0 : read_snapshot_tree(p, total);
}

/* The current line begins with "snapshot=", which has been skipped. */
static int read_snapshot(struct massif_parser *p)
{
	struct massif_file *m = p->m;
	struct massif_snapshot s = { .first_node = (uint32_t)m->node_count };

	if (!parse_number(p, &s.number) || !is_at_line_end(p))
		return refuse_line(p, "a number after 'snapshot='");
	if (m->count == MASSIF_SNAPSHOTS_MAX)
		return fail_at_line(p, MU_ERROR_FORMAT, "more than %d snapshots",
				    MASSIF_SNAPSHOTS_MAX);
	if (read_snapshot_fields(p, &s) < 0) {
		/* The part of a tree that was read belongs to no snapshot. */
		m->node_count = s.first_node;
		return -1;
	}
	s.node_count = (uint32_t)m->node_count - s.first_node;
	array_reserve(&m->snapshots, &m->snapshot_room, m->count + 1, sizeof(s));
	m->snapshots[m->count++] = s;
	return 0;
}

/* ---- the header -------------------------------------------------------------------------- */

/* The room of a text of SIZE bytes. It doubles, since some allocators copy with each realloc. */
static size_t room_of_text(size_t size)
{
	size_t room = 64;

	while (room < size)
		room *= 2;
	return room;
}

/* Appends the rest of the line, and MORE, to a text of USED bytes, which may hold zeros. There may
 * be a million lines, so no line costs a pass over the whole text. */
static int append_rest_of_line(struct massif_parser *p, char **text, size_t *used, const char *more)
{
	size_t length = (size_t)(p->end - p->at), added = length + strlen(more);

	if (*used + added > TEXTFILE_LINE_MAX)
		return fail_at_line(p, MU_ERROR_FORMAT, "the header is longer than %d bytes",
				    TEXTFILE_LINE_MAX);
	if (*used == 0 || room_of_text(*used + 1) < *used + added + 1)
		*text = xreallocarray(*text, room_of_text(*used + added + 1), 1);
	memcpy(*text + *used, p->at, length);
	strcpy(*text + *used + length, more);
	*used += added;
	return 0;
}

/* heaptrack writes its header twice or at the end: what is known already stays. */
static int read_desc_lines(struct massif_parser *p)
{
	if (p->m->count > 0 && p->m->desc[0])
		return 0;
	return append_rest_of_line(p, &p->m->desc, &p->desc_length, "\n");
}

static int read_cmd_line(struct massif_parser *p)
{
	if (p->m->cmd[0])
		return 0;
	while (p->at < p->end && is_blank_character(*p->at))
		p->at++;
	return append_rest_of_line(p, &p->m->cmd, &p->cmd_length, "");
}

static int read_time_unit(struct massif_parser *p)
{
	size_t i;

	while (p->at < p->end && is_blank_character(*p->at))
		p->at++;
	for (i = 0; i < UNITS; i++) {
		const char *at = p->at;

		if (skip_expected_word(p, units[i].word) && is_at_line_end(p))
			break;
		p->at = at;
	}
	if (i == UNITS)
		return refuse_line(p, "'i', 'ms', 'B' or 's' after 'time_unit:'");
	if (p->unit && p->unit != &units[i])
		return fail_at_line(p, MU_ERROR_FORMAT, "the unit of time changes");
	p->unit = &units[i];
	p->m->unit = p->unit->unit;
	return 0;
}

/* A file without any header is heaptrack's. */
static int begin_snapshots(struct massif_parser *p)
{
	if (p->unit)
		return 0;
	if (p->m->desc[0] || p->m->cmd[0])
		return refuse_line(p, "'time_unit:' before the first snapshot");
	p->unit = &units[SECONDS];
	p->m->unit = p->unit->unit;
	return 0;
}

static int read_header_item(struct massif_parser *p)
{
	if (skip_expected_word(p, "snapshot="))
		return begin_snapshots(p) < 0 ? -1 : read_snapshot(p);
	if (skip_expected_word(p, "desc:"))
		return read_desc_lines(p);
	if (skip_expected_word(p, "cmd:"))
		return read_cmd_line(p);
	if (skip_expected_word(p, "time_unit:"))
		return read_time_unit(p);
	return refuse_line(p, p->m->count ? "'snapshot='" :
					    "'desc:', 'cmd:', 'time_unit:' or 'snapshot='");
}

static int read_whole_file(struct massif_parser *p)
{
	int got;

	p->m->desc = xstrdup("");
	p->m->cmd = xstrdup("");
	p->open = xcalloc(MASSIF_DEPTH_MAX, sizeof(*p->open));
	while ((got = read_next_line(p)) > 0) {
		if (read_header_item(p) < 0)
			return -1;
	}
	if (got == 0 && p->m->count == 0)
		return fail_at_line(p, MU_ERROR_TRUNCATED,
				    "the file ends before the first snapshot");
	return got;
}

int massif_read(struct massif_file *m, struct textfile *in, struct mu_error *err)
{
	struct massif_parser p = { .m = m, .in = in, .err = err };
	int result;

	*m = (struct massif_file){ 0 };
	result = read_whole_file(&p);
	free(p.open);
	return result;
}

void massif_free(struct massif_file *m)
{
	free(m->desc);
	free(m->cmd);
	free(m->snapshots);
	free(m->nodes);
	strings_free(&m->texts);
	*m = (struct massif_file){ 0 };
}

/* ---- looking at it ----------------------------------------------------------------------- */

const struct massif_node *massif_tree(const struct massif_file *m,
				      const struct massif_snapshot *s)
{
	return s->node_count ? m->nodes + s->first_node : NULL;
}

const char *massif_text(const struct massif_file *m, const struct massif_node *node)
{
	return strings_get(&m->texts, node->text);
}

uint64_t massif_total(const struct massif_snapshot *s)
{
	return s->heap + s->extra + s->stacks;
}

const struct massif_snapshot *massif_peak(const struct massif_file *m)
{
	const struct massif_snapshot *best = NULL;

	for (size_t i = m->count; i > 0; i--) {
		const struct massif_snapshot *s = &m->snapshots[i - 1];

		if (s->kind == MASSIF_PEAK)
			return s;
		if (s->kind == MASSIF_DETAILED &&
		    (!best || massif_total(s) >= massif_total(best)))
			best = s;
	}
	return best;
}

static bool never_held_anything(const struct massif_file *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (massif_total(&m->snapshots[i]) > 0)
			return false;
	}
	return m->count > 0;
}

const struct massif_snapshot *massif_moment(const struct massif_file *m, bool is_end)
{
	const struct massif_snapshot *s =
		!is_end ? massif_peak(m) : m->count ? &m->snapshots[m->count - 1] : NULL;

	if (!s && never_held_anything(m))
		return &m->snapshots[m->count - 1];
	return s && (s->node_count || massif_total(s) == 0) ? s : NULL;
}

const char *massif_unit_name(enum massif_unit unit)
{
	return unit == MASSIF_INSTRUCTIONS ? "i" : unit == MASSIF_MS ? "ms" : "B";
}
