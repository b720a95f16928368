/* page_moments.c -- the snapshots of a report page, and who held what at each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_moments.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/page/page_holders.h"

/* A moment, and what the page says of the one before. */
struct moments {
	struct page_moment now, last;
	uint32_t nodes;
	struct page_holders holders;
	double least;		/* share of the moment's bytes from which a node is shown */
};

static void allocate_moments(struct moments *m, const struct page_tree *t,
			     const struct page_cut *c)
{
	const uint32_t nodes = c->count;

	*m = (struct moments){ .nodes = nodes };
	m->now.bytes = xcalloc(nodes, sizeof(*m->now.bytes));
	m->now.blocks = xcalloc(nodes, sizeof(*m->now.blocks));
	m->last.bytes = xcalloc(nodes, sizeof(*m->last.bytes));
	m->last.blocks = xcalloc(nodes, sizeof(*m->last.blocks));
	page_holders_init(&m->holders, t, c);
}

static void release_moments(struct moments *m)
{
	free(m->now.bytes);
	free(m->now.blocks);
	free(m->last.bytes);
	free(m->last.blocks);
	page_holders_free(&m->holders);
}

static void clear_moment(const struct moments *m, struct page_moment *moment)
{
	memset(moment->bytes, 0, m->nodes * sizeof(*moment->bytes));
	memset(moment->blocks, 0, m->nodes * sizeof(*moment->blocks));
}

/* Numbers of a hostile file may wrap. */
static void shift_node_values(int64_t *to, int64_t *from)
{
	*to = (int64_t)((uint64_t)*to + (uint64_t)*from);
	*from = 0;
}

/* Moves values below LEAST to the first nodes of their groups; without groups to the root. */
static void move_small_nodes(struct moments *m, double least, const uint32_t *first)
{
	int64_t *bytes = m->now.bytes, *blocks = m->now.blocks;

	for (uint32_t i = 1; i < m->nodes; i++) {
		uint32_t to = first ? first[i] : 0;

		if (to == i || (bytes[i] == 0 && blocks[i] == 0) || (double)bytes[i] >= least)
			continue;
		shift_node_values(&bytes[to], &bytes[i]);
		shift_node_values(&blocks[to], &blocks[i]);
	}
}

/* Adds up values below the share where their place stays the same; what is then still below it goes
 * to the root. */
static void sum_small_nodes(struct moments *m)
{
	double all = 0, least;

	for (uint32_t i = 0; i < m->nodes; i++)
		all += m->now.bytes[i] > 0 ? (double)m->now.bytes[i] : 0;
	least = all * m->least;
	for (int group = 0; group < PAGE_GROUPS && least > 0; group++)
		move_small_nodes(m, least, m->holders.first[group]);
	if (least > 0)
		move_small_nodes(m, least, NULL);
}

static bool is_node_changed(const struct moments *m, uint32_t node)
{
	return m->now.bytes[node] != m->last.bytes[node] ||
	       m->now.blocks[node] != m->last.blocks[node];
}

/* The moment becomes the one before; the next begins with nothing. */
static void start_next_moment(struct moments *m)
{
	struct page_moment before = m->last;

	m->last = m->now;
	m->now = before;
	clear_moment(m, &m->now);
}

static void write_changed_values(struct page_json *j, const struct moments *m)
{
	uint32_t last = 0;

	page_json_open(j, "values", '[');
	for (uint32_t i = 0; i < m->nodes; i++) {
		if (!is_node_changed(m, i))
			continue;
		page_json_uint(j, NULL, i - last);
		page_json_int(j, NULL, m->now.bytes[i]);
		page_json_int(j, NULL, m->now.blocks[i]);
		last = i;
	}
	page_json_close(j, ']');
}

/* How many values there would be; stops counting beyond MOST. */
static uint64_t count_written_values(struct moments *m, const struct page_shots *s, uint64_t most)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < s->count && count <= most; i++) {
		if (s->take(s->data, i, &m->now) != PAGE_SHOT_PLACES)
			continue;
		sum_small_nodes(m);
		for (uint32_t k = 0; k < m->nodes; k++)
			count += is_node_changed(m, k);
		start_next_moment(m);
	}
	clear_moment(m, &m->last);
	return count;
}

static void write_all_moments(struct page_json *j, struct moments *m, const struct page_shots *s)
{
	for (uint64_t i = 0; i < s->count; i++) {
		enum page_shot what = s->take(s->data, i, &m->now);

		if (what == PAGE_SHOT_NONE)
			continue;
		page_json_open(j, NULL, '{');
		s->put(s->data, i, j);
		if (what == PAGE_SHOT_PLACES) {
			sum_small_nodes(m);
			write_changed_values(j, m);
			start_next_moment(m);
		}
		page_json_close(j, '}');
	}
}

void page_put_shots(struct page_json *j, const struct page_tree *t, const struct page_cut *c,
		    const struct page_shots *s, const struct page_budget *b)
{
	static const double steps[] = { 0, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3 };
	struct moments m;

	allocate_moments(&m, t, c);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		m.least = steps[i];
		if (count_written_values(&m, s, b->values) <= b->values)
			break;
	}
	page_json_open(j, "snapshots", '[');
	write_all_moments(j, &m, s);
	page_json_close(j, ']');
	page_json_real(j, "snapshot_share", m.least);
	release_moments(&m);
}
