/* memory.c -- where the resident memory of a process went, in words.
 *
 *	134 MiB of memory at most, 2.31 s after the start (the kernel's highest: 135 MiB):
 *	   98.2 MiB  73%  live blocks of the heap
 *	   21.3 MiB  16%  kept by malloc beyond them, or mapped by the program (estimate)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/memory.h"

#include "cli/units.h"

static void print_memory_part(FILE *out, const char *before, uint64_t bytes,
			      const struct memory_split *split, const char *what)
{
	char text[UNITS_LENGTH];

	if (bytes > 0)
		fprintf(out, "%s%11s %3.0f%%  %s\n", before, units_bytes(text, bytes),
			100.0 * (double)bytes / (double)split->resident, what);
}

static void print_outside_heap(FILE *out, const char *before, uint64_t bytes, const char *what)
{
	char text[UNITS_LENGTH];

	if (bytes > 0)
		fprintf(out, "%s%11s       %s\n", before, units_bytes(text, bytes), what);
}

static void print_whole_memory(FILE *out, const char *before, const struct memory_split *split,
			       uint64_t rss_peak)
{
	char text[UNITS_LENGTH];

	fprintf(out, "%s%s of memory at most, %.2f s after the start", before,
		units_bytes(text, split->resident), (double)split->time_ns / 1e9);
	if (rss_peak > split->resident + split->resident / 100)
		fprintf(out, " (the kernel saw %s between two looks)",
			units_bytes(text, rss_peak));
	fputs(":\n", out);
}

static void print_memory_parts(FILE *out, const char *before, const struct memory_split *split)
{
	print_memory_part(out, before, split->heap, split,
			  split->untouched ?
				  "live blocks of the heap, and room of freed ones among them" :
				  "live blocks of the heap");
	print_memory_part(
		out, before, split->spare, split,
		"kept by malloc beyond them: freed room, rounding, its own data; and mappings of "
		"the program (estimate)");
	print_memory_part(out, before, split->globals, split,
			  "variables of the program and its libraries (as at the start)");
	print_memory_part(out, before, split->stacks, split, "stacks");
	print_memory_part(out, before, split->file, split,
			  "files: the program, its libraries, what it mapped");
	print_memory_part(out, before, split->shared, split, "shared memory");
	print_memory_part(out, before, split->recorder, split,
			  "memusage's own: not there without it");
	/* Less is within what the estimates are worth. */
	if (split->untouched > split->resident / 100)
		print_outside_heap(out, before, split->untouched,
				   "of live blocks, at least, are not resident: never touched, or "
				   "swapped out");
	print_outside_heap(out, before, split->swap, "swapped out");
}

void memory_print(FILE *out, const char *before, const struct memory_split *split,
		  uint64_t rss_peak)
{
	if (split->resident == 0)
		return;
	print_whole_memory(out, before, split, rss_peak);
	print_memory_parts(out, before, split);
}

void memory_print_now(FILE *out, const struct memory_split *split, uint64_t rss_peak)
{
	char now[UNITS_LENGTH], most[UNITS_LENGTH];

	if (split->resident == 0)
		return;
	fprintf(out, "%s of memory now, %s at most:\n", units_bytes(now, split->resident),
		units_bytes(most, rss_peak));
	print_memory_parts(out, "", split);
}

void memory_print_timeline(FILE *out, const char *before, const struct timeline *t)
{
	struct memory_split split;

	timeline_split(t, timeline_highest(t), &split);
	memory_print(out, before, &split, t->rss_peak);
}
