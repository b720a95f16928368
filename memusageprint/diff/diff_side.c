/* diff_side.c -- One of the two files of --diff, of any kind, as stacks with weights.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/diff/diff_side.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusageprint/job/massif_load.h"

/* ---- recordings ---------------------------------------------------------------------------- */

static enum process_figure figure_of_metric(enum metric_kind kind)
{
	return kind == METRIC_LIVE	  ? PROCESS_LIVE :
	       kind == METRIC_TEMPORARY ? PROCESS_CALLS :
					    PROCESS_PEAK;
}

/* The same process has another ID in each run, so the one with most stands for a run. */
static uint32_t choose_slot(const struct diff_side *d, enum metric_kind kind)
{
	const uint32_t main = recording_main(&d->recording, d->settings);
	const struct process_entry *e;
	struct process_list list;
	uint32_t slot = main;

	process_list_load(&list, &d->recording.segment);
	e = process_list_largest(&list, main, figure_of_metric(kind));
	if (e && !d->settings->pid)
		slot = e->slot;
	process_list_free(&list);
	return slot;
}

static int open_recording(struct diff_side *d, const char *file, enum metric_kind kind,
			  bool hides_runtime)
{
	struct report_subject *s = &d->subject;
	uint32_t slot;
	char *command;

	if (recording_open(&d->recording, &d->in, file) < 0) {
		d->recording = (struct recording){ .name = NULL };
		return -1;
	}
	d->is_cut = d->recording.segment.missing > 0;
	slot = choose_slot(d, kind);
	if (slot == RECORDING_NONE) {
		warn("%s: holds no process that can be read", d->name);
		return -1;
	}
	if (report_subject_open(s, &d->recording, slot, d->settings) < 0)
		return -1;
	if (hides_runtime)
		report_subject_hide_runtime(s, d->settings);
	command = report_subject_command(s);
	d->what = xasprintf("process %d, %s", (int)s->pid, command);
	free(command);
	d->filter = &s->filter;
	d->weight = s->weight;
	d->distance = s->distance;
	d->has_blocks = true;
	return 0;
}

/* ---- files of other tools ------------------------------------------------------------------ */

/* Takes the stacks of an import whose result is RESULT. */
static int take_import(struct diff_side *d, int result, bool hides_runtime,
		       const struct filter_options *o, const char *command,
		       const struct mu_error *err)
{
	if (result < 0) {
		warn("%s: %s", d->name, err->text);
		return -1;
	}
	d->filter = stack_import_filter(&d->import, hides_runtime, o);
	d->weight = xcalloc((size_t)d->import.profile.sites.count + 1, sizeof(*d->weight));
	d->what = xstrdup(command);
	return 0;
}

static int open_massif(struct diff_side *d, bool hides_runtime)
{
	const struct filter_options o = settings_filter(d->settings);
	struct mu_error err;

	d->is_cut = massif_load(&d->massif, &d->in) < 0;
	if (d->is_cut && d->massif.count == 0)
		return -1;
	return take_import(d, stack_import_massif(&d->import, &d->massif, &o, &err),
			   hides_runtime, &o, d->massif.cmd, &err);
}

static int open_dhat(struct diff_side *d, bool hides_runtime)
{
	const struct filter_options o = settings_filter(d->settings);
	struct mu_error err;

	d->has_blocks = true;
	if (dhat_read(&d->dhat, &d->in.text, &err) < 0) {
		warn("%s: %s", d->name, err.text);
		return -1;
	}
	return take_import(d, stack_import_dhat(&d->import, &d->dhat, &o, &err), hides_runtime,
			   &o, d->dhat.command, &err);
}

static int open_pprof(struct diff_side *d, bool hides_runtime)
{
	const struct filter_options o = settings_filter(d->settings);
	struct mu_error err;

	if (pprof_read(&d->pprof, &d->in.text, &err) < 0) {
		warn("%s: %s", d->name, err.text);
		return -1;
	}
	d->has_blocks = true;
	for (int i = 0; i < PPROF_VALUES; i += 2)
		d->has_blocks &= d->pprof.has_value[i] == d->pprof.has_value[i + 1];
	return take_import(d, stack_import_pprof(&d->import, &d->pprof, &o, &err), hides_runtime,
			   &o, "", &err);
}

/* ---- all ----------------------------------------------------------------------------------- */

int diff_side_open(struct diff_side *d, const char *file, enum metric_kind kind,
		   bool hides_runtime, const struct settings *settings)
{
	*d = (struct diff_side){ .settings = settings };
	if (input_open(&d->in, file) < 0) {
		d->in.name = NULL;
		return -1;
	}
	d->name = d->in.name;
	switch (d->in.kind) {
	case INPUT_RECORDING:
		return open_recording(d, file, kind, hides_runtime);
	case INPUT_MASSIF:
		return open_massif(d, hides_runtime);
	case INPUT_DHAT:
		return open_dhat(d, hides_runtime);
	case INPUT_PPROF:
		return open_pprof(d, hides_runtime);
	default:
		warn("%s: this is %s: --diff compares recordings, massif.out files and profiles "
		     "of DHAT and pprof", d->name, file_type_name(d->in.kind));
		return -1;
	}
}

static const struct massif_snapshot *find_snapshot(const struct massif_file *m,
						   enum metric_kind kind, int number)
{
	if (kind == METRIC_PEAK || kind == METRIC_LIVE)
		return massif_moment(m, kind == METRIC_LIVE);
	for (size_t i = 0; kind == METRIC_SNAPSHOT && i < m->count; i++) {
		if (m->snapshots[i].number == (uint64_t)number)
			return &m->snapshots[i];
	}
	return NULL;
}

bool diff_side_knows(const struct diff_side *d, enum metric_kind kind)
{
	const bool is_snapshot = kind == METRIC_SNAPSHOT, is_temporary = kind == METRIC_TEMPORARY;
	const enum pprof_value bytes = kind == METRIC_PEAK ? PPROF_PEAK_BYTES :
				       kind == METRIC_LIVE ? PPROF_END_BYTES : PPROF_TOTAL_BYTES;

	if (d->in.kind == INPUT_RECORDING)
		return true;
	if (d->in.kind == INPUT_MASSIF)
		return is_snapshot || find_snapshot(&d->massif, kind, 0);
	if (d->in.kind == INPUT_PPROF)
		return !is_snapshot && !is_temporary && d->pprof.has_value[bytes];
	return !is_snapshot && !is_temporary && (d->dhat.has_lifetimes || kind == METRIC_TOTAL);
}

/* Names the reports that the file suits. */
static void warn_of_unknown_figure(const struct diff_side *d)
{
	static const struct {
		enum metric_kind kind;
		const char *report;
	} all[] = {
		{ METRIC_PEAK, "the peak (--top)" }, { METRIC_LIVE, "the end (--leaks)" },
		{ METRIC_TOTAL, "all allocations (--tree=total)" },
	};
	char text[128] = "";

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const size_t used = strlen(text);

		if (diff_side_knows(d, all[i].kind))
			snprintf(text + used, sizeof(text) - used, "%s%s",
				 used ? ", " : "; it tells of ", all[i].report);
	}
	warn("%s: this is %s, which does not tell this figure%s", d->name,
	     file_type_name(d->in.kind), text);
}

int diff_side_weigh(struct diff_side *d, enum metric_kind kind, int snapshot)
{
	const struct massif_snapshot *s;

	if (!diff_side_knows(d, kind)) {
		warn_of_unknown_figure(d);
		return -1;
	}
	if (d->in.kind == INPUT_RECORDING)
		return report_subject_weigh(&d->subject, kind, snapshot);
	if (d->in.kind == INPUT_PPROF) {
		stack_import_weigh_samples(&d->pprof, kind, d->weight);
		return 0;
	}
	if (d->in.kind == INPUT_DHAT) {
		stack_import_weigh_points(&d->dhat, kind, d->weight);
		return 0;
	}
	s = find_snapshot(&d->massif, kind, snapshot);
	if (!s || (!s->node_count && massif_total(s) > 0)) {
		warn("%s: there is no tree of this moment (--detailed-freq=1 makes one for each "
		     "snapshot)", d->name);
		return -1;
	}
	stack_import_weigh_snapshot(&d->import, &d->massif, s, d->weight);
	return 0;
}

void diff_side_close(struct diff_side *d)
{
	if (d->weight != d->subject.weight)
		free(d->weight);
	report_subject_close(&d->subject);
	if (d->recording.name)
		recording_close(&d->recording);
	stack_import_free(&d->import);
	massif_free(&d->massif);
	dhat_free(&d->dhat);
	pprof_free(&d->pprof);
	free(d->what);
	if (d->in.name)
		input_close(&d->in);
	*d = (struct diff_side){ .name = NULL };
}
