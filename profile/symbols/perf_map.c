/* perf_map.c -- names of code that a program made at run time, as it wrote them down for perf.
 *
 * A line is START SIZE NAME, numbers in hexadecimal:
 *
 *	7f3c8a2e1000 1c0 LazyCompile:~parse /srv/app/index.js:12
 *	7f3c8a2e2000 40 py::Index.add:/srv/app/load.py
 *
 * V8 and Python append the source to the name; the two are separated here, so that reports shorten
 * and group them as those of C.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/perf_map.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/file.h"
#include "profile/base/strings.h"

enum {
	LINE = 4096,			/* bytes; what is longer is no line of such a file */
	LINES_MAX = 1 << 22
};

/* Any user may put a file there: only one of the process's owner, root or the caller is trusted. */
static bool is_trusted_file(int fd, const struct symbols_options *o)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (st.st_uid == o->owner || st.st_uid == 0 || st.st_uid == geteuid());
}

static FILE *open_perf_map(const struct symbols_options *o)
{
	int fd = o->perf_map ? file_open_below(o->root, o->perf_map) : -1;

	/* The file of an earlier process with the same ID. */
	if (fd >= 0 &&
	    (!is_trusted_file(fd, o) || (o->start_ns > 0 && !file_is_younger(fd, o->start_ns)))) {
		close(fd);
		fd = -1;
	}
	return fd < 0 ? NULL : fdopen(fd, "r");
}

static size_t first_request_from(const struct symbols_job *job, uint64_t from)
{
	return job->first + array_first_from(job->request + job->first, job->end - job->first,
					     sizeof(*job->request),
					     offsetof(struct symbols_request, address), from);
}

/* The name that the file gives each request. */
struct jit_names {
	struct strings strings;
	uint32_t *name;		/* number of its text, 0 none */
};

static void parse_map_line(const struct symbols_job *job, struct jit_names *names, char *line)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16), size;
	uint32_t name;

	if (end == line || *end != ' ')
		return;
	line = end;
	size = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return;
	end += strspn(end, " ");
	end[strcspn(end, "\n")] = '\0';
	name = 0;
	for (size_t i = first_request_from(job, start);
	     i < job->end && job->request[i].address - start < size; i++) {
		/* Most lines are of code that is not requested. */
		name = name ? name : strings_add(&names->strings, end, strlen(end));
		names->name[i - job->first] = name;
	}
}

/* Cuts ":NUMBER" off the end of a text. Returns false if it has none. */
static bool cut_number(char *text, uint32_t *number)
{
	char *colon = strrchr(text, ':');

	if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1))
		return false;
	*number = (uint32_t)strtoul(colon + 1, NULL, 10);
	*colon = '\0';
	return true;
}

/* V8 marks which of its compilers made the code: a function is in the map up to four times. */
static void drop_tier(char *text)
{
	char *mark = strchr(text, ':');

	if (mark && mark[1] && strchr("~^+*", mark[1]))
		memmove(mark + 1, mark + 2, strlen(mark + 2) + 1);
}

/* "JS:~fill /srv/app.js:3:14" has a line and a column, older names have a line only. */
static void split_v8_name(char *text, struct raw_level *level)
{
	static const char *const sources[] = { " /", " node:", " file:/" };
	char *source = NULL;
	uint32_t line, column;

	for (size_t i = 0; !source && i < sizeof(sources) / sizeof(*sources); i++)
		source = strstr(text, sources[i]);
	if (!source || source == text || !cut_number(source, &column))
		return;
	level->line = cut_number(source, &line) ? line : column;
	*source = '\0';
	level->file = source + 1;
	drop_tier(text);
	if (strcmp(text, "JS:") == 0)
		level->name = level->full = "JS:(anonymous)";
}

static void split_name(char *text, struct raw_level *level)
{
	char *colon;

	level->name = level->full = text;
	if (strncmp(text, "py::", 4) != 0) {
		split_v8_name(text, level);
		return;
	}
	colon = strchr(text + 4, ':');
	if (!colon || colon == text + 4 || !colon[1])
		return;
	*colon = '\0';
	level->file = colon + 1;
}

bool perf_map_read(const struct symbols_job *job)
{
	size_t count = job->end - job->first;
	struct jit_names names = { .name = xcalloc(count + 1, sizeof(*names.name)) };
	FILE *in = open_perf_map(job->options);
	char line[LINE];
	bool is_begun = false;

	for (int i = 0; in && i < LINES_MAX && fgets(line, LINE, in); i++) {
		bool is_whole = strchr(line, '\n');

		if (!is_begun && is_whole)
			parse_map_line(job, &names, line);
		is_begun = !is_whole;
	}
	for (size_t i = 0; i < count; i++) {
		const char *name = strings_get(&names.strings, names.name[i]);
		struct raw_level level = { .line = 0 };

		if (!*name)
			continue;
		snprintf(line, LINE, "%s", name);
		split_name(line, &level);
		job->found(job->first + i, &level, 1, job->data);
	}
	free(names.name);
	strings_free(&names.strings);
	if (!in)
		return false;
	fclose(in);
	return true;
}
