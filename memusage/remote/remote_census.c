/* remote_census.c -- The command census of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_census.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/units.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/base/json_text.h"
#include "memusage/attach/census.h"
#include "memusage/common/escape.h"
#include "memusage/common/files.h"
#include "memusage/common/process.h"

enum { ROWS = 15 }; /* of a table of the text; JSON has all */

/* One process, as it is printed. */
struct census_subject {
	pid_t pid;
	char name[17];
	const struct census *c;
	struct heap_count arena, cached, fast, free; /* of all arenas; the first one is left out */
	uint64_t top_bytes, system_bytes;
};

static void add_count(struct heap_count *to, const struct heap_count *from)
{
	to->blocks += from->blocks;
	to->bytes += from->bytes;
}

static void add_arenas(struct census_subject *s)
{
	const struct glibc_heap *h = &s->c->heap;

	for (uint32_t i = 0; i < h->arenas; i++) {
		const struct heap_arena *a = &h->arena[i];

		if (i > 0)
			add_count(&s->arena, &a->used);
		add_count(&s->cached, &a->cached);
		add_count(&s->fast, &a->fast);
		add_count(&s->free, &a->free);
		s->top_bytes += a->top_bytes;
		s->system_bytes += a->system_bytes;
	}
	/* Each mapped block has a header of its own. */
	s->system_bytes += h->mapped.bytes + 16 * h->mapped.blocks;
}

/* ---- text -------------------------------------------------------------------------------- */

static void print_count(FILE *out, const struct heap_count *c, const char *what)
{
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH];

	fprintf(out, "%12s %12s  %s\n", units_bytes(bytes, c->bytes),
		units_grouped(blocks, c->blocks), what);
}

static void print_bytes(FILE *out, uint64_t bytes, const char *what)
{
	char text[UNITS_LENGTH];

	fprintf(out, "%12s %12s  %s\n", units_bytes(text, bytes), "", what);
}

static void print_sums(FILE *out, const struct census_subject *s)
{
	const struct glibc_heap *h = &s->c->heap;
	char what[128];

	fprintf(out, "       bytes       blocks\n");
	print_count(out, &h->used, "in use");
	print_count(out, &h->arena[0].used, "  in the main arena");
	if (h->arenas > 1) {
		snprintf(what, sizeof(what), "  in %u more arena%s", h->arenas - 1,
			 h->arenas == 2 ? "" : "s");
		print_count(out, &s->arena, what);
	}
	print_count(out, &h->mapped, h->is_mapped_exact ?
				     "  mapped on their own" :
				     "  mapped on their own, as malloc counts them: not all were "
				     "found");
	print_count(out, &s->free, "free, between blocks in use");
	snprintf(what, sizeof(what), "free, kept by %u thread%s for %s next blocks", h->caches,
		 h->caches == 1 ? "" : "s", h->caches == 1 ? "its" : "their");
	print_count(out, &s->cached, what);
	print_count(out, &s->fast, "free, kept by arenas for small blocks");
	print_bytes(out, s->top_bytes, "at the ends of arenas, not used");
	print_bytes(out, s->system_bytes, "in all, from the kernel");
}

static int compare_sizes(const void *a, const void *b)
{
	const struct census_size *x = *(const struct census_size *const *)a;
	const struct census_size *y = *(const struct census_size *const *)b;

	if (x->used.bytes != y->used.bytes)
		return x->used.bytes < y->used.bytes ? 1 : -1;
	return x->most < y->most ? -1 : x->most > y->most;
}

static void print_sizes(FILE *out, const struct census *c)
{
	const struct census_size *order[CENSUS_SIZES];
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH], most[UNITS_LENGTH], freed[UNITS_LENGTH];

	for (unsigned int i = 0; i < CENSUS_SIZES; i++)
		order[i] = &c->size[i];
	qsort(order, CENSUS_SIZES, sizeof(*order), compare_sizes);
	fprintf(out, "\nSizes with most bytes in use, with what malloc rounds up:\n"
		     "       bytes       blocks  size up to   free blocks\n");
	for (unsigned int i = 0; i < ROWS && order[i]->used.blocks; i++)
		fprintf(out, "%12s %12s  %10s %13s\n", units_bytes(bytes, order[i]->used.bytes),
			units_grouped(blocks, order[i]->used.blocks),
			units_bytes(most, order[i]->most),
			units_grouped(freed, order[i]->free.blocks));
}

static void print_classes(FILE *out, const struct census *c)
{
	char bytes[UNITS_LENGTH], blocks[UNITS_LENGTH];

	if (c->classes == 0)
		return;
	fprintf(out, "\nC++ objects with virtual functions, by class:\n"
		     "       bytes       blocks\n");
	for (uint32_t i = 0; i < c->classes && i < ROWS; i++)
		fprintf(out, "%12s %12s  %s\n", units_bytes(bytes, c->class[i].used.bytes),
			units_grouped(blocks, c->class[i].used.blocks), c->class[i].name);
	if (c->classes > ROWS)
		fprintf(out, "%12s %12s  %u more classes\n", "", "", c->classes - ROWS);
}

static void print_text(FILE *out, const struct census_subject *s)
{
	char name[80];

	fprintf(out, "Process %d (%s): blocks of glibc 2.%u's malloc\n\n", (int)s->pid,
		escape_text(name, sizeof(name), s->name), s->c->release);
	print_sums(out, s);
	print_sizes(out, s->c);
	print_classes(out, s->c);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void write_count(FILE *out, const char *key, const struct heap_count *c)
{
	fprintf(out, "\"%s\":{\"blocks\":%" PRIu64 ",\"bytes\":%" PRIu64 "},", key, c->blocks,
		c->bytes);
}

static void write_arenas(FILE *out, const struct glibc_heap *h)
{
	fputs("\"arenas\":[", out);
	for (uint32_t i = 0; i < h->arenas; i++) {
		const struct heap_arena *a = &h->arena[i];

		fprintf(out, "%s{", i ? "," : "");
		write_count(out, "used", &a->used);
		write_count(out, "free", &a->free);
		write_count(out, "cached", &a->cached);
		write_count(out, "fast", &a->fast);
		fprintf(out, "\"top_bytes\":%" PRIu64 ",\"system_bytes\":%" PRIu64 "}",
			a->top_bytes, a->system_bytes);
	}
	fputs("],", out);
}

static void write_sizes(FILE *out, const struct census *c)
{
	const char *comma = "";

	fputs("\"sizes\":[", out);
	for (unsigned int i = 0; i < CENSUS_SIZES; i++) {
		const struct census_size *s = &c->size[i];

		if (s->used.blocks == 0 && s->free.blocks == 0)
			continue;
		fprintf(out, "%s{", comma);
		write_count(out, "used", &s->used);
		write_count(out, "free", &s->free);
		fprintf(out, "\"most\":%" PRIu64 "}", s->most);
		comma = ",";
	}
	fputs("],", out);
}

static void write_json(FILE *out, const struct census_subject *s)
{
	const struct census *c = s->c;

	fputs("{\"format\":\"memusage-census\",\"version\":1,", out);
	json_put_field(out, "creator", MEMUSAGE_VERSION);
	fprintf(out, "\"pid\":%d,", (int)s->pid);
	json_put_field(out, "name", s->name);
	fprintf(out, "\"allocator\":\"glibc 2.%u\",\"threads\":%u,\"caches\":%u,"
		     "\"pause_ns\":%" PRIu64 ",\"tries\":%u,", c->release, c->threads,
		c->heap.caches, c->pause_ns, c->tries);
	write_count(out, "used", &c->heap.used);
	write_count(out, "mapped", &c->heap.mapped);
	fprintf(out, "\"mapped_is_exact\":%s,", c->heap.is_mapped_exact ? "true" : "false");
	write_count(out, "free", &s->free);
	write_count(out, "cached", &s->cached);
	write_count(out, "fast", &s->fast);
	fprintf(out, "\"top_bytes\":%" PRIu64 ",\"system_bytes\":%" PRIu64 ",", s->top_bytes,
		s->system_bytes);
	write_arenas(out, &c->heap);
	write_sizes(out, c);
	fputs("\"classes\":[", out);
	for (uint32_t i = 0; i < c->classes; i++) {
		fprintf(out, "%s{", i ? "," : "");
		json_put_field(out, "name", c->class[i].name);
		fprintf(out, "\"blocks\":%" PRIu64 ",\"bytes\":%" PRIu64 "}",
			c->class[i].used.blocks, c->class[i].used.bytes);
	}
	fputs("]}\n", out);
}

/* ---- the command ------------------------------------------------------------------------- */

static bool is_json_name(const char *name)
{
	const size_t length = strlen(name);

	return length >= 5 && strcmp(name + length - 5, ".json") == 0;
}

/* Writes to the file that the isolated process has, or to the one of the command line. */
static int write_to_file(const struct remote *r, const struct census_subject *s)
{
	void (*const write)(FILE *, const struct census_subject *) =
		is_json_name(r->operand) ? write_json : print_text;
	struct output out = { 0 };
	char *name;
	int result = -1;

	if (r->output_fd >= 0) {
		FILE *file = fdopen(dup(r->output_fd), "w");

		if (!file)
			return -1;
		write(file, s);
		return fclose(file);
	}
	name = files_expand(r->operand, r->pid);
	if (output_open(&out, name, 0) == 0) {
		write(out.stream, s);
		result = output_close(&out);
	}
	if (result == 0)
		remote_tell_written(r, name);
	free(name);
	return result;
}

static void tell_pause(const struct remote *r, const struct census *c)
{
	char time[UNITS_LENGTH];

	if (r->settings->verbose)
		fprintf(stderr, "memusage: process %d: its %u thread%s stood for %s, at the last "
				"of %u tr%s; %" PRIu64 " blocks were read\n",
			(int)r->pid, c->threads, c->threads == 1 ? "" : "s",
			units_time(time, c->pause_ns), c->tries, c->tries == 1 ? "y" : "ies",
			c->heap.chunks);
}

int remote_census_run(struct remote *r)
{
	struct census_subject s = { .pid = r->pid };
	struct mu_error err = { .code = MU_ERROR_NONE };
	struct census c;
	int result = -1;

	if (census_take(&c, r->pid, &err) < 0) {
		warn("process %d: its blocks cannot be counted: %s; memusage --attach=%d records "
		     "what it allocates from now on", (int)r->pid, err.text, (int)r->pid);
		census_free(&c);
		return -1;
	}
	tell_pause(r, &c);
	process_name(r->pid, s.name);
	s.c = &c;
	add_arenas(&s);
	if (r->operand) {
		result = write_to_file(r, &s);
	} else {
		print_text(stdout, &s);
		result = fflush(stdout);
	}
	census_free(&c);
	return result == 0 ? 0 : -1;
}
