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

#include "cli/message.h"
#include "formats/summary.h"
#include "memusage/common/escape.h"
#include "memusage/report/notes.h"

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
	*r = (struct report){ .settings = settings, .fd = fd, .color = color };
	r->text = open_text_buffer(&r->buffer, &r->length);
	r->lines = open_text_buffer(&r->lines_buffer, &r->lines_length);
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

/* A failure of standard error itself cannot be reported. */
void report_flush(struct report *r)
{
	fclose(r->text);
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
		report_flush(r);
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

/* Forked children count from their fork on: their parent's figures have the rest. */
static void add_process_line(struct report *r, enum report_role role, int pid,
			     const struct result *result)
{
	char name[1024];

	if (r->line_count == REPORT_LINES) {
		r->more++;
		r->more_bytes += result->own_bytes;
		r->more_calls += result->own_calls;
		if (result->heap_peak > r->more_peak)
			r->more_peak = result->heap_peak;
		return;
	}
	r->line_count++;
	fprintf(r->is_finished ? r->text : r->lines,
		"memusage: process %d %s%s: heap total: %" PRIu64 ", heap peak: %" PRIu64
		", stack peak: %" PRIu64 ", calls: %" PRIu64 "\n",
		pid, escape_text(name, sizeof(name), result->name), role_text(role),
		result->own_bytes, result->heap_peak, result->stack_peak, result->own_calls);
}

static void add_summary(struct report *r, enum report_role role, int pid,
			const struct result *result)
{
	char name[1024];

	fprintf(r->text, "\nmemusage: process %d %s%s:", pid,
		escape_text(name, sizeof(name), result->name), role_text(role));
	summary_print(r->text, result, r->color, r->settings->mmap);
	notes_print(r, result);
	report_flush(r);
}

static void add_other(struct report *r, enum report_role role, int pid, struct result *result)
{
	if (r->settings->quiet)
		;
	else if (r->settings->children == CHILDREN_SUMMARY)
		add_summary(r, role, pid, result);
	else if (r->settings->children != CHILDREN_NONE)
		add_process_line(r, role, pid, result);
	free(result);
	if (r->is_finished)
		report_flush(r);
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

static void print_more(struct report *r)
{
	if (r->more > 0)
		fprintf(r->text,
			"memusage: %" PRIu64 " more processes: heap total: %" PRIu64
			", highest heap peak: %" PRIu64 ", calls: %" PRIu64 "\n",
			r->more, r->more_bytes, r->more_peak, r->more_calls);
	r->line_count = 0;
	r->more = r->more_bytes = r->more_calls = r->more_peak = 0;
}

static void print_all(struct report *r, const char *why, const struct rusage *usage)
{
	if (r->main) {
		summary_print(r->text, r->main, r->color, r->settings->mmap);
		notes_print(r, r->main);
		if (r->settings->verbose)
			notes_print_details(r, r->main, usage);
	} else {
		report_note(r, "%s", why);
	}
	fflush(r->lines);
	fwrite(r->lines_buffer, 1, r->lines_length, r->text);
	print_more(r);
}

void report_finish(struct report *r, const char *why, const struct rusage *usage)
{
	const struct settings *s = r->settings;

	if (!s->quiet)
		print_all(r, why, usage);
	else if (!r->main && (s->data || s->png || s->record))
		report_note(r, "%s", why);
	r->is_finished = true;
	report_flush(r);
}

void report_close(struct report *r)
{
	print_more(r);
	report_flush(r);
	fclose(r->text);
	fclose(r->lines);
	free(r->buffer);
	free(r->lines_buffer);
	free(r->main);
}
