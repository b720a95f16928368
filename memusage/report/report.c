/* report.c -- The report of memusage at the end of the program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/layout.h"
#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "formats/summary.h"
#include "memusage/common/escape.h"
#include "memusage/report/notes.h"
#include "profile/read/process_list.h"

enum { READER_MS = 10000 };

static FILE *open_text_buffer(char **buffer, size_t *length)
{
	FILE *text = open_memstream(buffer, length);

	if (!text)
		die("out of memory for the report");
	return text;
}

void report_open(struct report *r, const struct settings *settings, int fd, bool color)
{
	*r = (struct report){ .settings = settings, .fd = fd, .color = color,
			      .columns = terminal_columns(fd) };
	r->text = open_text_buffer(&r->buffer, &r->length);
	r->lines = open_text_buffer(&r->lines_buffer, &r->lines_length);
	r->line_limit = settings_has_answer(settings) ? ANSWER_LINES : REPORT_LINES;
	r->line = xcalloc(r->line_limit, sizeof(*r->line));
}

/* The program may have made standard error non-blocking. A reader that takes nothing for this long
 * is considered dead. */
static bool wait_for_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return errno == EAGAIN && poll(&p, 1, READER_MS) > 0;
}

static bool write_text(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n <= 0 && errno != EINTR && !wait_for_room(fd))
			return false;
		if (n <= 0)
			continue;
		text += n;
		length -= (size_t)n;
	}
	return true;
}

/* Breaks lines that begin with "memusage: " for the terminal; glibc's table stays as it is. */
static void fit_messages_to_terminal(struct report *r)
{
	static const char start[] = "memusage: ";
	const size_t length = sizeof(start) - 1;
	char *old = r->buffer;
	FILE *text = open_text_buffer(&r->buffer, &r->length);
	FILE *page = layout_open(text, (struct layout_style){ .columns = r->columns });

	for (char *line = old, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (strncmp(line, start, length) == 0) {
			fprintf(page, "%s" LAYOUT_TEXT "%.*s", start, (int)(end - line - length),
				line + length);
			fflush(page);
		} else {
			fwrite(line, 1, (size_t)(end - line), text);
		}
	}
	fclose(page);
	fclose(text);
	free(old);
}

/* Writes the waiting text. The first failure prints a warning and stops further writing; one of
 * standard error itself cannot be reported. */
static void flush_text(struct report *r)
{
	fclose(r->text);
	if (r->columns > 0)
		fit_messages_to_terminal(r);
	if (r->fd >= 0 && !r->has_failed && !write_text(r->fd, r->buffer, r->length)) {
		r->has_failed = true;
		if (r->settings->output)
			warn("cannot write %s: %m", r->settings->output);
	}
	free(r->buffer);
	r->text = open_text_buffer(&r->buffer, &r->length);
}

void report_note(struct report *r, const char *format, ...)
{
	char line[4096], safe[8192];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(r->text, "memusage: %s\n", escape_text(safe, sizeof(safe), line));
}

void report_line(struct report *r, const char *format, ...)
{
	char line[4096], safe[8192];
	va_list args;

	if (r->settings->quiet)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fprintf(r->is_finished ? r->text : r->lines, "memusage: %s\n",
		escape_text(safe, sizeof(safe), line));
	if (r->is_finished)
		flush_text(r);
}

static const char *role_text(enum report_role role)
{
	switch (role) {
	case REPORT_EARLIER:
		return " (before exec)";
	case REPORT_FORKED:
		return " (since its fork)";
	case REPORT_RUNNING:
		return " (still running)";
	default:
		return "";
	}
}

static bool has_told_end(enum report_role role)
{
	return role == REPORT_EARLIER || role == REPORT_RUNNING;
}

/* Forked children count from their fork on: their parent's figures have the rest. A program that
 * ended as programs do is not worth a word. */
static void print_process_line(FILE *out, enum report_role role, int pid,
			       const struct result *result)
{
	bool is_told = role == REPORT_MAIN ? !image_end_is_success(result->end) :
					     !has_told_end(role);
	char name[1024], end[IMAGE_END_TEXT], peak[BOUNDS_LENGTH];

	fprintf(out,
		"memusage: process %d %s%s: heap total: %" PRIu64 ", heap peak: %" PRIu64
		", stack peak: %" PRIu64 ", calls: %" PRIu64 "%s%s",
		pid, escape_text(name, sizeof(name), result->name), role_text(role),
		result->own_bytes, result->fork_peak, result->stack_peak, result->own_calls,
		is_told ? ", " : "", is_told ? image_end_text(result->end, end) : "");
	if (result->sample_distance > 0)
		fprintf(out, ", estimated: heap peak %s (95 %%)",
			bounds_bytes_text(peak, &result->errors.peak, (int64_t)result->heap_peak,
					  result->sample_distance));
	putc('\n', out);
}

static char *process_line_text(enum report_role role, int pid, const struct result *result)
{
	char *text;
	size_t length;
	FILE *out = open_text_buffer(&text, &length);

	print_process_line(out, role, pid, result);
	fclose(out);
	return text;
}

static void count_more(struct report *r, struct report_line *line)
{
	r->more++;
	r->more_earlier += line->role == REPORT_EARLIER;
	r->more_bytes += line->bytes;
	r->more_calls += line->calls;
	if (line->peak > r->more_peak)
		r->more_peak = line->peak;
	free(line->text);
}

/* Lines with equal peaks stay in the order of their ends. */
static void insert_line(struct report *r, struct report_line *line)
{
	unsigned int at = r->line_count;

	while (at > 0 && r->line[at - 1].peak < line->peak)
		at--;
	if (at == r->line_limit) {
		count_more(r, line);
		return;
	}
	if (r->line_count == r->line_limit)
		count_more(r, &r->line[--r->line_count]);
	memmove(&r->line[at + 1], &r->line[at], (r->line_count - at) * sizeof(*line));
	r->line[at] = *line;
	r->line_count++;
}

static void print_lines(struct report *r)
{
	for (unsigned int i = 0; i < r->line_count; i++) {
		fputs(r->line[i].text, r->text);
		free(r->line[i].text);
	}
	r->line_count = 0;
}

static void add_process_line(struct report *r, enum report_role role, int pid,
			     const struct result *result)
{
	struct report_line line = { .pid = pid, .role = role, .peak = result->fork_peak,
				    .bytes = result->own_bytes, .calls = result->own_calls };

	if (r->is_finished && r->late_count++ < REPORT_LINES) {
		print_process_line(r->text, role, pid, result);
		return;
	}
	line.text = process_line_text(role, pid, result);
	if (r->is_finished)
		count_more(r, &line);
	else
		insert_line(r, &line);
}

/* Its whole summary has, as that of glibc's tool, what the parent had done before the fork. */
static const char *summary_role_text(enum report_role role, const struct result *result)
{
	const bool has_history = result->own_calls != counters_calls(&result->counters);

	if (role == REPORT_FORKED && has_history)
		return " (with what its parent did before the fork)";
	return role_text(role);
}

static void add_summary(struct report *r, enum report_role role, int pid,
			const struct result *result)
{
	char name[1024], end[IMAGE_END_TEXT];

	fprintf(r->text, "\nmemusage: process %d %s%s%s%s:", pid,
		escape_text(name, sizeof(name), result->name), summary_role_text(role, result),
		has_told_end(role) ? "" : ", ",
		has_told_end(role) ? "" : image_end_text(result->end, end));
	summary_print(r->text, result, r->color, r->settings->mmap);
	notes_print(r, result);
	flush_text(r);
}

static void note_largest(struct report *r, enum report_role role, int pid,
			 const struct result *result)
{
	const bool is_earlier = role == REPORT_EARLIER;
	struct report_line *largest = is_earlier ? &r->largest_earlier : &r->largest;

	if (largest->pid != 0 && result->own_peak <= largest->peak)
		return;
	free(largest->text);
	*largest = (struct report_line){ .pid = pid, .role = role, .peak = result->own_peak,
					 .text = is_earlier ? xstrdup(result->name) : NULL };
}

static void add_other(struct report *r, enum report_role role, int pid, struct result *result)
{
	note_largest(r, role, pid, result);
	if (r->settings->quiet)
		;
	else if (r->settings->children == CHILDREN_SUMMARY)
		add_summary(r, role, pid, result);
	else if (r->settings->children != CHILDREN_NONE &&
		 r->settings->children != CHILDREN_MERGE)
		add_process_line(r, role, pid, result);
	free(result);
	if (r->is_finished)
		flush_text(r);
}

void report_demote_main(struct report *r)
{
	if (r->main)
		add_other(r, REPORT_EARLIER, r->main_pid, r->main);
	r->main = NULL;
}

void report_add(struct report *r, enum report_role role, int pid, struct result *result)
{
	r->images++;
	if (role != REPORT_MAIN) {
		add_other(r, role, pid, result);
		return;
	}
	report_demote_main(r);
	r->main = result;
	r->main_pid = pid;
}

/* A process has one line for each program that it executed. */
static void print_more(struct report *r)
{
	const uint64_t processes = r->more - r->more_earlier;

	if (r->more == 0)
		return;
	fputs("memusage: ", r->text);
	if (processes > 0)
		fprintf(r->text, "%" PRIu64 " more processes", processes);
	if (r->more_earlier > 0)
		fprintf(r->text, "%s%" PRIu64 " more program%s before exec",
			processes > 0 ? " and " : "", r->more_earlier,
			r->more_earlier == 1 ? "" : "s");
	fprintf(r->text, ": heap total: %" PRIu64 ", highest heap peak: %" PRIu64
		", calls: %" PRIu64 "\n", r->more_bytes, r->more_peak, r->more_calls);
	r->more = r->more_earlier = r->more_bytes = r->more_calls = r->more_peak = 0;
}

/* The shell says so to a person, but not in a log or a report file. */
static void note_signal(struct report *r)
{
	char end[IMAGE_END_TEXT];

	if (r->main->end.how == MU_END_SIGNAL && !r->settings->verbose)
		report_note(r, "the program was %s", image_end_text(r->main->end, end));
}

static void print_all(struct report *r, const char *why, const struct rusage *usage)
{
	if (r->main) {
		if (settings_has_answer(r->settings)) {
			print_process_line(r->text, REPORT_MAIN, r->main_pid, r->main);
		} else {
			summary_print(r->text, r->main, r->color, r->settings->mmap);
			note_signal(r);
		}
		notes_print(r, r->main);
		if (r->settings->verbose)
			notes_print_details(r, r->main, usage);
	} else {
		report_note(r, "%s", why);
	}
	print_lines(r);
	print_more(r);
	fflush(r->lines);
	fwrite(r->lines_buffer, 1, r->lines_length, r->text);
}

/* A picture and a data file of the program alone hide a larger process. Reports of places and the
 * page name it themselves. */
static void print_larger_process(struct report *r)
{
	const struct settings *s = r->settings;
	const struct report_line *largest = &r->largest, *earlier = &r->largest_earlier;
	const char *file = s->png ? s->png : s->data;
	char larger[UNITS_LENGTH], reported[UNITS_LENGTH];
	uint64_t last;

	if (!r->main || !file || s->children == CHILDREN_FILES)
		return;
	units_bytes(reported, r->main->own_peak);
	last = largest->peak > r->main->own_peak ? largest->peak : r->main->own_peak;
	if (process_is_clearly_larger(earlier->peak, last, PROCESS_PEAK))
		report_note(r, "process %d %s held most, %s at its peak, before it executed "
			       "another program; %s is about process %d %s, which held %s: "
			       "--record keeps all programs",
			    earlier->pid, earlier->text, units_bytes(larger, earlier->peak),
			    file, r->main_pid, r->main->name, reported);
	else if (largest->peak > r->main->own_peak)
		report_note(r, "process %d held most, %s at its peak; %s is about process %d, "
			       "which held %s: --record keeps all processes",
			    largest->pid, units_bytes(larger, largest->peak), file, r->main_pid,
			    reported);
}

void report_finish(struct report *r, const char *why, const struct rusage *usage)
{
	const struct settings *s = r->settings;

	if (!s->quiet)
		print_all(r, why, usage);
	else if (!r->main && (s->data || s->png || s->record || gate_wanted(&s->gate)))
		report_note(r, "%s", why);
	else
		print_larger_process(r);
	r->is_finished = true;
	flush_text(r);
}

void report_close(struct report *r)
{
	print_more(r);
	flush_text(r);
	fclose(r->text);
	fclose(r->lines);
	free(r->buffer);
	free(r->lines_buffer);
	free(r->line);
	free(r->largest_earlier.text);
	free(r->main);
}
