/* massif.c -- fuzz the reader of massif.out: any content is read or refused, what was read is
 * sound, and what is written of it is read again as the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif_convert.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/stack_import.h"
#include "profile/model/top.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

static int fd_of(const void *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	must(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	return fd;
}

static int read_from(struct massif_file *m, const void *data, size_t size, struct mu_error *err)
{
	int fd = fd_of(data, size), result;
	struct textfile in;

	must(textfile_open(&in, fd, err) == 0);
	result = massif_read(m, &in, err);
	textfile_close(&in);
	close(fd);
	return result;
}

/* Every tree ends where its counts say, and nothing exceeds its snapshot. */
static void check_snapshot(const struct massif_file *m, const struct massif_snapshot *s)
{
	const struct massif_node *tree = massif_tree(m, s);

	must(s->first_node <= m->node_count && s->node_count <= m->node_count - s->first_node);
	must((s->kind == MASSIF_PLAIN) == (s->node_count == 0));
	for (uint32_t i = 0; i < s->node_count; i++) {
		uint32_t at = i + 1, end = i + tree[i].size;

		must(tree[i].bytes <= massif_total(s) && tree[i].depth < MASSIF_DEPTH_MAX);
		must(end <= s->node_count && strlen(massif_text(m, &tree[i])) <= TEXTFILE_LINE_MAX);
		for (uint32_t k = 0; k < tree[i].children; k++) {
			must(at < end && tree[at].depth == tree[i].depth + 1);
			at += tree[at].size;
		}
		must(at == end);
	}
}

static void check_same(const struct massif_file *a, const struct massif_file *b)
{
	must(a->count == b->count && a->node_count == b->node_count && a->unit == b->unit);
	for (size_t i = 0; i < a->count; i++) {
		const struct massif_snapshot *s = &a->snapshots[i], *t = &b->snapshots[i];

		must(s->number == t->number && s->time == t->time && s->kind == t->kind);
		must(s->heap == t->heap && s->extra == t->extra && s->stacks == t->stacks);
	}
	for (size_t i = 0; i < a->node_count; i++)
		must(a->nodes[i].bytes == b->nodes[i].bytes &&
		     a->nodes[i].size == b->nodes[i].size);
}

static void check_round_trip(const struct massif_file *m)
{
	struct massif_file again;
	struct mu_error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(out != NULL);
	massif_write(out, m);
	must(fclose(out) == 0);
	must(read_from(&again, text, size, &err) == 0);
	check_same(m, &again);
	massif_free(&again);
	free(text);
}

/* Whatever is in names, a conversion ends, and its lines are as many as the stacks. */
static void check_conversions(const struct massif_file *m)
{
	const struct massif_snapshot *s = massif_peak(m);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint32_t lines = 0;

	must(out != NULL);
	massif_to_json(out, m);
	if (s) {
		massif_to_callgrind(out, m, s, "0");
		must(fseek(out, 0, SEEK_SET) == 0);
		massif_to_folded(out, m, s);
	}
	must(fflush(out) == 0);
	for (size_t i = 0; s && i < size; i++)
		lines += text[i] == '\n';
	must(!s || lines <= s->node_count);
	must(fclose(out) == 0);
	free(text);
}

/* The places that reports list have the bytes of the root, with and without run-times. */
static void check_places(const struct massif_file *m)
{
	const struct massif_snapshot *s = massif_peak(m);
	struct stack_import stacks;
	struct weight *weight;
	struct mu_error err;
	struct top all, own;

	must(stack_import_massif(&stacks, m, NULL, &err) == 0);
	stack_import_filter(&stacks, true, NULL);
	weight = calloc((size_t)stacks.profile.sites.count + 1, sizeof(*weight));
	must(weight != NULL);
	if (s)
		stack_import_weigh_snapshot(&stacks, m, s, weight);
	top_build(&all, &stacks.filter, weight, TOP_BY_FUNCTION, TOP_BY_BYTES);
	top_build(&own, &stacks.program.filter, weight, TOP_BY_FUNCTION, TOP_BY_BYTES);
	must(all.bytes == own.bytes && all.blocks == own.blocks);
	top_free(&all);
	top_free(&own);
	free(weight);
	stack_import_free(&stacks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct massif_file m;
	struct mu_error err = { 0 };

	if (read_from(&m, data, size, &err) < 0) {
		must(err.code == MU_ERROR_FORMAT || err.code == MU_ERROR_TRUNCATED);
		must(err.text[0]);
	}
	for (size_t i = 0; i < m.count; i++)
		check_snapshot(&m, &m.snapshots[i]);
	if (m.count > 0 && m.desc)
		check_round_trip(&m);
	if (m.count > 0)
		check_conversions(&m);
	if (m.count > 0)
		check_places(&m);
	massif_free(&m);
	return 0;
}
