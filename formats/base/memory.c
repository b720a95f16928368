/* memory.c -- where the resident memory of a process went, in words.
 *
 *	134 MiB of memory at most, 2.31 s after the start (the kernel's highest: 135 MiB):
 *	   98.2 MiB  73%  live blocks of the heap
 *	   21.3 MiB  16%  kept by malloc beyond them, or mapped by the program (estimate)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/memory.h"

#include <string.h>

#include "cli/units.h"
#include "formats/base/bounds.h"

/* Source  Linux, mm/memory.c: TASK_RSS_EVENTS_THRESH. */
enum { COUNTING_ERROR = 64 * 4096 };

static void append_part(struct memory_part *part, int *count, const char *key, uint64_t bytes,
			const char *text)
{
	if (bytes > 0)
		part[(*count)++] = (struct memory_part){ key, bytes, text };
}

static const char *describe_heap(const struct memory_split *split)
{
	if (split->counts_pages)
		return "pages that the program mapped, but for files";
	if (split->untouched)
		return split->sample_distance > 0 ?
			       "live blocks of the heap (estimate), and room of freed ones among "
			       "them" :
			       "live blocks of the heap, and room of freed ones among them";
	return split->sample_distance > 0 ? "live blocks of the heap (estimate)" :
				     "live blocks of the heap";
}

static const char *describe_spare(const struct memory_split *split)
{
	if (split->counts_pages)
		return "private pages that are no longer mapped, or of files (estimate)";
	if (split->lacks_blocks)
		return "blocks from while nothing was recorded; kept by malloc: freed room, "
		       "rounding, its own data; and mappings of the program (estimate)";
	return "kept by malloc beyond them: freed room, rounding, its own data; and mappings of "
	       "the program (estimate)";
}

static const char *describe_globals(const struct memory_split *split)
{
	return split->began_attached ?
		       "private memory from before memusage attached: variables, mappings, freed "
		       "room" :
		       "variables of the program and its libraries (as at the start)";
}

int memory_parts(const struct memory_split *split, struct memory_part part[MEMORY_PARTS])
{
	int count = 0;

	append_part(part, &count, "heap", split->heap, describe_heap(split));
	append_part(part, &count, "spare", split->spare, describe_spare(split));
	append_part(part, &count, "globals", split->globals, describe_globals(split));
	append_part(part, &count, "stacks", split->stacks, "stacks");
	append_part(part, &count, "file", split->file,
		    "files: the program, its libraries, what it mapped");
	append_part(part, &count, "shared", split->shared, "shared memory");
	append_part(part, &count, "recorder", split->recorder,
		    "memusage's own: not there without it");
	return count;
}

/* Less is within what the estimates are worth, and the kernel counts: it adds up the pages of a
 * thread in batches of 64. */
int memory_outside(const struct memory_split *split, struct memory_part part[MEMORY_OUTSIDE])
{
	int count = 0;

	if (split->untouched > split->resident / 100 && split->untouched > COUNTING_ERROR)
		append_part(part, &count, "untouched", split->untouched, split->counts_pages ?
			    "of mapped pages outside of that: of files, never written to, or "
			    "swapped out" :
			    "of live blocks, at least, outside of that: never written to, or "
			    "swapped out");
	append_part(part, &count, "swap", split->swap, "swapped out");
	return count;
}

static void print_whole_memory(FILE *out, const char *before, const struct memory_split *split,
			       uint64_t rss_peak)
{
	char text[UNITS_LENGTH];

	fprintf(out, "%s%s of memory at most, %.2f s after the start", before,
		units_bytes(text, split->resident), (double)split->time_ns / 1e9);
	if (rss_peak > split->highest + split->highest / 100)
		fprintf(out, " (the kernel saw %s between two looks)",
			units_bytes(text, rss_peak));
	fputs(":\n", out);
}

/* ": +- 77, with a probability of 95 %" */
static void print_bounds(FILE *out, const struct memory_part *part, double distance,
			 const struct site_errors *errors)
{
	const int64_t bytes = (int64_t)part->bytes;
	struct sampled_error e;
	char text[BOUNDS_LENGTH];

	if (distance <= 0 || !errors || strcmp(part->key, "heap") != 0)
		return;
	e = site_errors_at_moment(errors, bytes, distance);
	fprintf(out, ": %s, with a probability of 95 %%", bounds_bytes(text, &e, bytes, distance));
}

static void print_memory_parts(FILE *out, const char *before, const struct memory_split *split,
			       const struct site_errors *errors)
{
	struct memory_part part[MEMORY_PARTS], outside[MEMORY_OUTSIDE];
	int count = memory_parts(split, part);
	char text[UNITS_LENGTH];

	for (int i = 0; i < count; i++) {
		fprintf(out, "%s%11s %3.0f%%  %s", before, units_bytes(text, part[i].bytes),
			100.0 * (double)part[i].bytes / (double)split->resident, part[i].text);
		print_bounds(out, &part[i], split->sample_distance, errors);
		putc('\n', out);
	}
	count = memory_outside(split, outside);
	for (int i = 0; i < count; i++)
		fprintf(out, "%s%11s       %s\n", before, units_bytes(text, outside[i].bytes),
			outside[i].text);
}

void memory_print(FILE *out, const char *before, const struct memory_split *split,
		  uint64_t rss_peak, const struct site_errors *errors)
{
	if (split->resident == 0)
		return;
	print_whole_memory(out, before, split, rss_peak);
	print_memory_parts(out, before, split, errors);
}

void memory_print_now(FILE *out, const struct memory_split *split, uint64_t rss_peak,
		      const struct site_errors *errors)
{
	char now[UNITS_LENGTH], most[UNITS_LENGTH];

	if (split->resident == 0)
		return;
	fprintf(out, "%s of memory now, %s at most:\n", units_bytes(now, split->resident),
		units_bytes(most, rss_peak));
	print_memory_parts(out, "", split, errors);
}

static void print_pages_advice(FILE *out, const char *before, const struct memory_split *split)
{
	char text[UNITS_LENGTH];

	if (split->unknown > 0)
		fprintf(out, "%sabout %s of it are no blocks of malloc: memusage "
			     "--pages-as-heap=yes --top shows who mapped them\n",
			before, units_bytes(text, split->unknown));
}

void memory_print_timeline(FILE *out, const char *before, const struct timeline *t,
			   const struct site_errors *errors)
{
	struct memory_split split;

	timeline_split(t, timeline_highest(t), &split);
	memory_print(out, before, &split, t->rss_peak, errors);
	print_pages_advice(out, before, &split);
}
