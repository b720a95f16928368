/* finish.c -- Report recordings that the preloaded library left without memusage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/finish.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/color.h"
#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/common/files.h"
#include "memusage/common/program.h"
#include "memusage/launcher/finish_tree.h"
#include "memusage/record/datalog.h"
#include "memusage/report/outputs.h"
#include "memusage/report/report.h"
#include "profile/read/segment.h"

/* Tells whether several recordings are reported. */
static bool is_one_of_many(const struct settings *settings)
{
	return settings->command[1] != NULL;
}

/* A forked child has its parent's settings and must not overwrite its parent's file, nor may one of
 * several recordings overwrite the file of another. */
static char *data_name(const struct settings *settings, const struct mu_process *process)
{
	char *name = files_expand(settings->data, (pid_t)process->pid), *own;

	if (files_has_pid(settings->data) ||
	    (process->fork_mono_ns == 0 && !is_one_of_many(settings)))
		return name;
	own = xasprintf("%s.%d", name, (int)process->pid);
	free(name);
	return own;
}

static int write_data_file(const struct settings *settings, const struct segment *s,
			   struct image *im)
{
	const struct mu_process *p = &im->head.process;
	uint64_t origin = p->fork_mono_ns ? p->fork_mono_ns : p->start_mono_ns;
	char *name = data_name(settings, p);
	int fd = files_open_empty(name), result = 0;
	struct log_clock clock;
	struct datalog *log;

	if (fd < 0) {
		warn("cannot write %s: %m", name);
		free(name);
		return -1;
	}
	log_clock_begin(&clock, s->head.start_mono_ns, s->head.start_mono_ns);
	log = datalog_new(fd, name, im->head.fork_heap, origin, &s->head.config);
	datalog_drain(log, im, &clock, true);
	datalog_end(log, p->exit_mono_ns);
	if (log->error.code != MU_ERROR_NONE) {
		warn("%s: %s: %llu event%s missing in it", log->name, log->error.text,
		     (unsigned long long)log->lost, log->lost == 1 ? " is" : "s are");
		result = -1;
	}
	datalog_free(log);
	return result;
}

static void print_summary(const struct settings *settings, struct image *im, uint32_t flags)
{
	struct result *result = xmalloc(sizeof(*result));
	struct settings own = *settings;
	struct report r;

	own.mmap = (flags & MU_CFG_MMAP) != 0;
	own.children = CHILDREN_SUMMARY;
	report_open(&r, &own, STDERR_FILENO,
		    color_wanted((enum color_when)settings->color, STDERR_FILENO));
	result_take(result, im);
	if (is_one_of_many(settings)) {
		report_add(&r, im->head.process.fork_mono_ns ? REPORT_FORKED : REPORT_OTHER,
			   (int)im->head.process.pid, result);
	} else {
		report_add(&r, REPORT_MAIN, (int)im->head.process.pid, result);
		report_finish(&r, "", NULL);
	}
	report_close(&r);
}

static int finish_file(const struct settings *settings, const char *file)
{
	struct mu_error err;
	struct segment s;
	struct image im;
	bool is_done = true;
	int result = 0;

	if (segment_open(&s, file, &err) < 0) {
		warn("%s: %s", file, err.text);
		return -1;
	}
	if (s.head.kind == MU_KIND_KEPT && !segment_is_being_written(&s)) {
		warn("%s: the recording is complete: memusageprint and memusagestat read it", file);
		result = -1;
	} else if (s.head.kind != MU_KIND_FILE) {
		warn("%s: neither a recording of a library that was preloaded without memusage, "
		     "nor one with an arena beside it (--durable)", file);
		result = -1;
	} else if (segment_image(&s, 0, &im, &err) < 0) {
		warn("%s: %s", file, err.text);
		result = -1;
	} else {
		const bool has_data = (s.head.config.flags & MU_CFG_LOG) != 0;

		print_summary(settings, &im, s.head.config.flags);
		if (settings->data && has_data)
			result = write_data_file(settings, &s, &im);
		is_done = settings->data || !has_data;
	}
	segment_close(&s);
	if (!is_done)
		warn("%s is kept: it holds the events that MEMUSAGE_OUTPUT asked for; --data=FILE "
		     "writes them",
		     file);
	if (result == 0 && is_done && unlink(file) < 0) {
		warn("cannot remove %s: %m", file);
		result = -1;
	}
	return result;
}

/* Runs with --durable come first: next to their recording there may be an arena. */
static int finish_any(const struct settings *settings, const char *file)
{
	char *arena = finish_tree_name(file);
	int result;

	if (!arena)
		return finish_file(settings, file);
	result = finish_tree(settings, arena, settings->record);
	free(arena);
	return result;
}

static void check_settings(const struct settings *settings)
{
	if (is_one_of_many(settings) && (settings->record || settings_has_reports(settings)))
		die("--finish: --record and reports of places are for one FILE");
	outputs_check(settings, NULL);
}

int finish_run(const struct settings *settings)
{
	int status = 0;

	check_settings(settings);
	signal(SIGXFSZ, SIG_IGN);
	for (char **file = settings->command; *file; file++) {
		if (finish_any(settings, *file) < 0)
			status = STATUS_FAILED;
	}
	return status;
}
