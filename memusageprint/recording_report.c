/* recording_report.c -- Reports and exports of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/recording_report.h"

#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusageprint/export/dhat_export.h"
#include "memusageprint/export/export_formats.h"
#include "memusageprint/export/leak_tree_export.h"
#include "memusageprint/export/massif_export.h"
#include "memusageprint/export/spacetime_export.h"
#include "memusageprint/export/xtree_export.h"
#include "memusageprint/image_files.h"
#include "memusageprint/dhat/dhat_summary.h"
#include "memusageprint/dhat/dhat_text.h"
#include "memusageprint/job/not_examined.h"
#include "memusageprint/text/massif_snapshot_log.h"
#include "memusageprint/text/processes.h"
#include "memusageprint/text/text_report.h"
#include "profile/read/leak_checks.h"
#include "profile/read/process_list.h"

/* ---- files of every image ----------------------------------------------------------------- */

static bool wants_image_files(const struct settings *settings)
{
	return settings->massif_file || settings->dhat_file || settings->xtree != XTREE_NONE ||
	       settings->leak_tree == YES || settings->spacetime_files != SPACETIME_NONE;
}

static int write_massif_file(FILE *out, const char *name, struct report_subject *s,
			     const struct report_job *job)
{
	if (job->settings->massif_log || job->settings->massif_stats)
		massif_snapshot_log_print(stdout, s, job->settings);
	return massif_export(out, s, job->settings);
}

static int write_dhat_file(FILE *out, const char *name, struct report_subject *s,
			   const struct report_job *job)
{
	struct dhat d;
	int result = dhat_export_load(&d, s, job->settings);

	if (result == 0) {
		dhat_write(out, &d);
		if (job->settings->dhat_summary)
			dhat_summary_print(report_job_begin(job), &d, s->pid);
	}
	dhat_free(&d);
	return result;
}

static int write_image_files(const struct report_job *job, const struct recording *r,
			     struct report_subject *open)
{
	const struct settings *settings = job->settings;
	bool has_spacetime = settings->spacetime_files != SPACETIME_NONE;
	const char *report = settings->spacetime_files == SPACETIME_HTML ? "massif.%p.html" :
									   "massif.%p.txt";
	bool has_xtree = settings->xtree != XTREE_NONE && xtree_can_export(r, settings);
	const struct image_file files[] = {
		{ has_xtree ? settings->xtree_file : NULL, xtree_export, NULL },
		{ settings->leak_tree == YES ? settings->leak_tree_file : NULL, leak_tree_export,
		  leak_tree_can_export },
		{ settings->massif_file, write_massif_file, NULL },
		{ settings->dhat_file, write_dhat_file, NULL },
		{ has_spacetime ? "massif.%p.hp" : NULL, spacetime_export_hp, NULL },
		{ has_spacetime ? report : NULL, spacetime_export_report, NULL },
	};
	int result = image_files_write(job, r, open, files, sizeof(files) / sizeof(*files));

	return has_xtree == (settings->xtree != XTREE_NONE) ? result : -1;
}

/* ---- the report of one image -------------------------------------------------------------- */

/* False if the command line asks only for files of every image. */
static bool wants_report(const struct settings *settings)
{
	return settings->report != REPORT_DEFAULT || !wants_image_files(settings);
}

static int print_image(const struct report_job *job, struct report_subject *s,
		       const struct process_list *list, unsigned text)
{
	FILE *out = report_job_begin(job);

	switch (job->settings->report) {
	case REPORT_DHAT:
		return dhat_text_print_image(out, s, job->settings);
	case REPORT_SPACETIME:
		return spacetime_export(out, s, job->settings);
	case REPORT_EXPORT:
		return export_formats_write(out, s, job->settings, list);
	default:
		job->output->has_color = true; /* names are clean already */
		return text_report_print(out, s, job->settings, text);
	}
}

/* ---- which process a report is about ------------------------------------------------------- */

static int open_image(const struct report_job *job, const struct recording *r,
		      const struct process_list *list, uint32_t slot, struct report_subject *s)
{
	char all[1024];

	if (slot != RECORDING_NONE && report_subject_open(s, r, slot, job->settings) < 0)
		return -1;
	if (slot != RECORDING_NONE) {
		if (r->segment.missing > 0 && !job->settings->pid)
			warn("%s: this report is about process %d; --pid chooses another",
			     r->name, (int)s->pid);
		return 0;
	}
	process_list_name_all(list, all, sizeof(all));
	if (job->settings->pid && *all)
		warn("%s: holds no process %u, but %s", r->name, job->settings->pid, all);
	else
		warn("%s: holds no process that can be read", r->name);
	return -1;
}

/* Texts that are about the process with the highest figure, unless --pid chooses one. */
static unsigned texts_of_figure(const struct settings *settings, enum process_figure figure)
{
	bool is_tree_of_end = settings_metric(settings) == METRIC_LIVE;

	if (figure == PROCESS_LIVE)
		return TEXT_LEAKS | (is_tree_of_end ? TEXT_TREE : 0);
	if (figure == PROCESS_CALLS)
		return TEXT_TEMPORARY;
	if (figure == PROCESS_PAGES)
		return TEXT_FRAGMENTATION;
	if (figure == PROCESS_HOLDERS)
		return TEXT_HOLDERS;
	return TEXT_TOP | TEXT_GROWTH | (is_tree_of_end ? 0 : TEXT_TREE);
}

/* One process, and the texts about it. */
struct choice {
	uint32_t slot;
	unsigned text;
	const struct process_entry *share; /* whose share is printed first; NULL: no share */
	enum process_figure figure;
};

static struct choice choose_by_figure(const struct settings *settings,
				      const struct process_list *list, uint32_t main,
				      unsigned text, enum process_figure figure)
{
	const struct process_entry *e = process_list_largest(list, main, figure);

	return (struct choice){
		.slot = e ? e->slot : main,
		.text = text & texts_of_figure(settings, figure),
		.share = list->processes > 1 || (e && !e->is_last) ? e : NULL,
		.figure = figure,
	};
}

enum { CHOICES = 6 };

/* Choices of the same process are one, so that a recording of one process has one report. */
static void choose_processes(const struct report_job *job, const struct recording *r,
			     const struct process_list *list, struct choice choice[CHOICES])
{
	const struct settings *settings = job->settings;
	const uint32_t main = recording_main(r, settings);
	const unsigned text = settings->text ? settings->text : TEXT_TOP;

	choice[1] = choose_by_figure(settings, list, main, text, PROCESS_PEAK);
	choice[2] = choose_by_figure(settings, list, main, text, PROCESS_LIVE);
	choice[3] = choose_by_figure(settings, list, main, text, PROCESS_CALLS);
	choice[4] = choose_by_figure(settings, list, main, text, PROCESS_PAGES);
	choice[5] = choose_by_figure(settings, list, main, text, PROCESS_HOLDERS);
	choice[0] = (struct choice){
		.slot = main,
		.text = text & ~(choice[1].text | choice[2].text | choice[3].text |
				 choice[4].text | choice[5].text | TEXT_PROCESSES),
	};
	if (settings->report > REPORT_TEXT)
		choice[0].text = TEXT_TOP;
	else if (settings->pid || list->count < 2)
		choice[0].text = text & ~(unsigned)TEXT_PROCESSES;
	else
		return;
	for (unsigned int i = 1; i < CHOICES; i++)
		choice[i].text = 0;
}

/* Returns a stream for lines about all processes, whose names are clean. */
static FILE *open_layout(const struct report_job *job)
{
	FILE *out = report_job_begin(job);

	job->output->has_color = true;
	return layout_open(out, settings_layout(job->settings));
}

static void print_share(const struct report_job *job, const struct recording *r,
			const struct process_list *list, const struct choice *choice)
{
	FILE *page = open_layout(job);

	processes_print_share(page, list, choice->share, choice->figure, r->is_nameless);
	fclose(page);
}

static void print_table(const struct report_job *job, const struct process_list *list)
{
	FILE *page = open_layout(job);

	processes_print(page, list);
	fclose(page);
}

/* Prints of the process of --pid what a report on its last program does not show. */
static void print_earlier(const struct report_job *job, const struct process_list *list)
{
	const struct settings *settings = job->settings;
	const unsigned text = settings->text ? settings->text : TEXT_TOP;
	FILE *page;

	if (settings->pid == 0 || settings->report > REPORT_TEXT ||
	    !(text & texts_of_figure(settings, PROCESS_PEAK)))
		return;
	page = open_layout(job);
	processes_print_earlier(page, list, (pid_t)settings->pid);
	fclose(page);
}

/* An export has the program, or the process of --pid. A report would choose the larger process,
 * which the export lacks. */
static void warn_of_larger(const struct report_job *job, const struct recording *r,
			   const struct process_list *list, uint32_t slot)
{
	const struct process_entry *own = process_list_find(list, slot);
	const struct process_entry *most = process_list_largest(list, slot, PROCESS_PEAK);
	char held[UNITS_LENGTH];

	if (job->settings->report <= REPORT_TEXT || job->settings->pid || !own || !most ||
	    !process_is_clearly_larger(most->own_peak, own->own_peak, PROCESS_PEAK))
		return;
	units_bytes(held, most->own_peak);
	if (most->pid == own->pid)
		warn("%s: this is about process %d %s, which held %s before it executed that: "
		     "--top shows what it was", r->name, (int)own->pid, own->name, held);
	else
		warn("%s: this is about process %d %s; process %d %s held most, %s: --pid=%d "
		     "chooses that", r->name, (int)own->pid, own->name, (int)most->pid,
		     most->name, held, (int)most->pid);
}

/* Prints what CHOICE and later ones with the same process have in common at once. */
static int print_choice(const struct report_job *job, const struct recording *r,
			const struct process_list *list, struct choice *choice, int count,
			struct report_subject *s)
{
	unsigned text = 0;

	if (!s->recording || s->slot != choice->slot) {
		report_subject_close(s);
		if (open_image(job, r, list, choice->slot, s) < 0)
			return -1;
	}
	warn_of_larger(job, r, list, choice->slot);
	for (int i = 0; i < count; i++) {
		if (choice[i].slot != choice->slot || choice[i].text == 0)
			continue;
		if (choice[i].share)
			print_share(job, r, list, &choice[i]);
		text |= choice[i].text;
		choice[i].text = 0;
	}
	return print_image(job, s, list, text);
}

/* Leaves the last process of a report open in S. */
static int print_report(const struct report_job *job, const struct recording *r,
			struct report_subject *s)
{
	struct choice choice[CHOICES];
	struct process_list list;
	int result = 0;

	process_list_load(&list, &r->segment);
	if (job->settings->text & TEXT_PROCESSES && !r->merge)
		print_table(job, &list);
	print_earlier(job, &list);
	choose_processes(job, r, &list, choice);
	for (int i = 0; i < CHOICES && result == 0; i++)
		if (choice[i].text)
			result = print_choice(job, r, &list, &choice[i], CHOICES - i, s);
	process_list_free(&list);
	return result;
}

static bool is_checked_fork(const struct recording *r, uint32_t slot)
{
	struct image im;

	return segment_image(&r->segment, slot, &im, NULL) == 0 &&
	       im.head.process.fork_mono_ns != 0 && leak_checks_at_end(&im);
}

/* As with Memcheck, where each process prints a report when it ends. */
static int print_checks_of_forks(const struct report_job *job, const struct recording *r)
{
	const uint32_t main = recording_main(r, job->settings);
	int result = 0;

	for (uint32_t k = 0; k < r->segment.head.slot_count; k++) {
		struct report_subject s = { .slot = RECORDING_NONE };

		if (k == main || !is_checked_fork(r, k))
			continue;
		if (report_subject_open(&s, r, k, job->settings) == 0)
			result |= text_report_print(report_job_begin(job), &s, job->settings,
						    TEXT_LEAK_CHECK);
		report_subject_close(&s);
	}
	not_examined_forks(r);
	return result;
}

int recording_report_print_open(const struct report_job *job, const struct recording *r)
{
	const struct settings *settings = job->settings;
	struct report_subject *s = xcalloc(1, sizeof(*s));
	int result = 0;

	s->slot = RECORDING_NONE;
	if (wants_report(settings))
		result = print_report(job, r, s);
	if (settings->leak_forks && settings->text & TEXT_LEAK_CHECK && !settings->pid)
		result |= print_checks_of_forks(job, r);
	/* The output is emptied even if no image has a summary. */
	if (settings->dhat_summary)
		report_job_begin(job);
	if (wants_image_files(settings))
		result |= write_image_files(job, r, s->recording ? s : NULL);
	if (r->segment.missing > 0)
		result = -1;
	report_subject_close(s);
	free(s);
	return result;
}

int recording_report_print(const struct report_job *job)
{
	struct recording r;
	int result;

	if (recording_open(&r, job->in, job->file) < 0)
		return -1;
	result = recording_report_print_open(job, &r);
	recording_close(&r);
	return result;
}
