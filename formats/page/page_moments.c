/* page_moments.c -- the snapshots of a report page, and who held what at each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_moments.h"

#include <stdlib.h>
#include <string.h>

/* A moment, and what the page says of the one before. */
struct moments {
	struct page_moment now, last;
	uint32_t nodes;
	double least;		/* share of the moment's bytes from which a node is shown */
};

static int allocate_moments(struct moments *m, uint32_t nodes, struct mu_error *err)
{
	*m = (struct moments){ .nodes = nodes };
	m->now.bytes = calloc(nodes, sizeof(*m->now.bytes));
	m->now.blocks = calloc(nodes, sizeof(*m->now.blocks));
	m->last.bytes = calloc(nodes, sizeof(*m->last.bytes));
	m->last.blocks = calloc(nodes, sizeof(*m->last.blocks));
	if (m->now.bytes && m->now.blocks && m->last.bytes && m->last.blocks)
		return 0;
	return mu_error_memory(err);
}

static void release_moments(struct moments *m)
{
	free(m->now.bytes);
	free(m->now.blocks);
	free(m->last.bytes);
	free(m->last.blocks);
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

/* Moves values below the share to the root. */
static void sum_small_nodes(struct moments *m)
{
	int64_t *bytes = m->now.bytes, *blocks = m->now.blocks;
	double all = 0, least;

	for (uint32_t i = 0; i < m->nodes; i++)
		all += bytes[i] > 0 ? (double)bytes[i] : 0;
	least = all * m->least;
	for (uint32_t i = 1; i < m->nodes && least > 0; i++) {
		if ((double)bytes[i] >= least)
			continue;
		shift_node_values(&bytes[0], &bytes[i]);
		shift_node_values(&blocks[0], &blocks[i]);
	}
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

int page_put_shots(struct page_json *j, uint32_t nodes, const struct page_shots *s,
		   const struct page_budget *b, struct mu_error *err)
{
	static const double steps[] = { 0, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3 };
	struct moments m;
	int result = allocate_moments(&m, nodes, err);

	for (size_t i = 0; result == 0 && i < sizeof(steps) / sizeof(*steps); i++) {
		m.least = steps[i];
		if (count_written_values(&m, s, b->values) <= b->values)
			break;
	}
	page_json_open(j, "snapshots", '[');
	if (result == 0)
		write_all_moments(j, &m, s);
	page_json_close(j, ']');
	page_json_real(j, "snapshot_share", m.least);
	release_moments(&m);
	return result;
}
