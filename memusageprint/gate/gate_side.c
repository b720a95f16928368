/* gate_side.c -- The figures of one run, as the conditions of a gate want them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/gate/gate_side.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "profile/save/save.h"

/* ---- one process --------------------------------------------------------------------------- */

static struct measure measure_of_subject(const struct report_subject *s)
{
	return (struct measure){
		.image = &s->image,
		.flags = s->recording->segment.head.config.flags,
		.sites = &s->profile.sites,
		.complete = report_subject_complete(s),
		.shown = &s->filter,
		.errors = s->errors,
		.distance = s->distance,
	};
}

/* Keeps the process that has most. One that does not tell its figure counts only if none does. */
static void measure_condition(const struct measure *m, const struct condition *c, uint32_t slot,
			      struct weight *weight, struct sampled_error *error,
			      struct gate_measured *to)
{
	struct figure figure;
	struct mu_error why;

	if ((condition_has_places(c->metric) &&
	     measure_weigh(m, c, weight, error, &why) < 0) ||
	    measure_figure(m, c, weight, &figure, &why) < 0) {
		if (!to->is_known)
			to->why = why;
		return;
	}
	/* A place with a figure exists. */
	to->has_place = to->has_place || figure.value > 0 || measure_finds_place(m, c);
	if (to->is_known && figure.value <= to->figure.value)
		return;
	*to = (struct gate_measured){ .is_known = true, .figure = figure, .slot = slot,
				      .has_place = to->has_place };
}

static void measure_conditions(struct gate_side *side, const struct measure *m, uint32_t slot)
{
	const struct condition_list *list = &side->settings->gate.conditions;
	const size_t room = (size_t)m->sites->count + 1;
	struct weight *weight = xcalloc(room, sizeof(*weight));
	struct sampled_error *error = m->errors ? xcalloc(room, sizeof(*error)) : NULL;

	for (size_t i = 0; i < list->count; i++)
		measure_condition(m, &list->item[i], slot, weight, error, &side->measured[i]);
	free(weight);
	free(error);
}

/* Looking up names takes longer than all else, and most conditions need none. */
static bool needs_names(const struct settings *settings)
{
	const struct condition_list *list = &settings->gate.conditions;

	for (size_t i = 0; i < list->count; i++) {
		if (measure_needs_names(&list->item[i]))
			return true;
	}
	return settings->ignore_fn.count > 0;
}

static int measure_named(struct gate_side *side, uint32_t slot)
{
	struct report_subject *s = &side->subject;
	struct measure m;

	report_subject_close(s);
	if (report_subject_open(s, &side->recording, slot, side->settings) < 0)
		return -1;
	report_subject_hide_runtime(s, side->settings);
	m = measure_of_subject(s);
	measure_conditions(side, &m, slot);
	return 0;
}

static int measure_nameless(struct gate_side *side, uint32_t slot)
{
	const struct segment *segment = &side->recording.segment;
	struct profile profile;
	struct mu_error err;
	struct image image;
	struct measure m = { .image = &image, .flags = segment->head.config.flags,
			     .sites = &profile.sites };

	if (segment_image(segment, slot, &image, &err) < 0 ||
	    save_verify(segment, &image, &err) < 0) {
		warn("%s: %s", side->recording.name, err.text);
		return -1;
	}
	profile_load(&profile, &image);
	m.errors = site_errors_load(&profile.sites, &image);
	m.distance = sampled_mean_distance(&image);
	measure_conditions(side, &m, slot);
	free((void *)m.errors);
	profile_free(&profile);
	return 0;
}

/* ---- all processes ------------------------------------------------------------------------- */

int gate_side_open(struct gate_side *side, const char *file, const struct settings *settings)
{
	const bool is_named = needs_names(settings);
	int result = 0;

	*side = (struct gate_side){ .settings = settings };
	side->measured = xcalloc(settings->gate.conditions.count + 1, sizeof(*side->measured));
	if (input_open(&side->in, file) < 0) {
		side->in.name = NULL;
		return -1;
	}
	if (side->in.kind != INPUT_RECORDING) {
		warn("%s: this is %s: conditions are judged of recordings (memusage --record)",
		     side->in.name, file_type_name(side->in.kind));
		return -1;
	}
	if (recording_open(&side->recording, &side->in, file) < 0) {
		side->recording = (struct recording){ .name = NULL };
		return -1;
	}
	process_list_load(&side->list, &side->recording.segment);
	if (side->list.count == 0 || side->recording.segment.missing > 0) {
		warn("%s: %s", side->recording.name, side->list.count == 0 ?
			     "holds no process that can be read" :
			     "some of its processes are missing");
		return -1;
	}
	for (uint32_t i = 0; i < side->list.count && result == 0; i++)
		result = (is_named ? measure_named : measure_nameless)(side,
								       side->list.entry[i].slot);
	return result;
}

int gate_side_show(struct gate_side *side, size_t condition)
{
	const uint32_t slot = side->measured[condition].slot;
	struct report_subject *s = &side->subject;

	if (s->recording && s->slot == slot)
		return 0;
	report_subject_close(s);
	if (report_subject_open(s, &side->recording, slot, side->settings) < 0)
		return -1;
	report_subject_hide_runtime(s, side->settings);
	return 0;
}

int gate_side_weigh(struct gate_side *side, const struct condition *c)
{
	const struct measure m = measure_of_subject(&side->subject);
	const size_t room = (size_t)m.sites->count + 1;

	free(side->weight);
	free(side->error);
	side->weight = xcalloc(room, sizeof(*side->weight));
	side->error = m.errors ? xcalloc(room, sizeof(*side->error)) : NULL;
	return measure_weigh(&m, c, side->weight, side->error, NULL);
}

char *gate_side_process(const struct gate_side *side, uint32_t slot)
{
	const struct process_entry *e = process_list_find(&side->list, slot);

	return e ? xasprintf("process %d, %s", (int)e->pid, *e->command ? e->command : e->name) :
		   xstrdup("");
}

void gate_side_close(struct gate_side *side)
{
	report_subject_close(&side->subject);
	process_list_free(&side->list);
	if (side->recording.name)
		recording_close(&side->recording);
	if (side->in.name)
		input_close(&side->in);
	free(side->weight);
	free(side->error);
	free(side->measured);
	*side = (struct gate_side){ .settings = NULL };
}
