/* report_subject.c -- One process image of a recording, ready to be reported on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/report_subject.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "memusageprint/job/place_names.h"
#include "profile/model/runtime_frames.h"
#include "profile/read/snapshot_values.h"
#include "profile/save/save.h"
#include "recording/points.h"

/* The profile with all frames, while the subject shows the other one. */
struct complete_stacks {
	struct profile profile;
	struct filter filter;
	struct program_stacks program;
};

static void load_errors(struct report_subject *s)
{
	s->distance = sampled_mean_distance(&s->image);
	if (s->distance <= 0)
		return;
	s->unseen = sampled_bytes_unseen_in(&s->image);
	s->errors = site_errors_load(&s->profile.sites, &s->image);
	if (!s->errors)
		die("no memory for the errors of estimates");
	s->error = xcalloc((size_t)s->profile.sites.count + 1, sizeof(*s->error));
}

static int load_image(struct report_subject *s, const struct settings *settings,
		      struct mu_error *err)
{
	const struct filter_options o = settings_filter(settings);

	if (segment_image(&s->recording->segment, s->slot, &s->image, err) < 0 ||
	    save_verify(&s->recording->segment, &s->image, err) < 0)
		return -1;
	profile_load(&s->profile, &s->image);
	modules_follow_links(&s->profile.modules);
	if (place_names_resolve(&s->profile, &s->recording->segment, &s->image, (pid_t)s->pid,
				settings, true, err) < 0)
		return -1;
	filter_init(&s->filter, &s->profile, &o);
	if (settings->lifetimes)
		sites_lifetimes(&s->profile.sites, &s->image);
	s->weight = xcalloc((size_t)s->profile.sites.count + 1, sizeof(*s->weight));
	load_errors(s);
	return 0;
}

/* Warns of modules without names. A line in the report would break programs that read it. */
static void warn_of_nameless_modules(const struct report_subject *s)
{
	const struct profile *p = &s->profile;

	for (uint32_t i = 0; i < p->modules.count && i < p->symbols.modules; i++) {
		const char *text = symbols_state_text(p->symbols.state[i]);
		const char *path = p->modules.module[i].path;

		/* "[vdso]" and similar names are not files. */
		if (text && *path == '/')
			warn("%s: %s", path, text);
	}
}

static void warn_of_estimates(const struct report_subject *s)
{
	char text[BOUNDS_TEXT];

	if (s->distance > 0 && s->recording->merge)
		warn("%s: figures of the heap and of places are estimates: about one block in "
		     "%s, or in less, was sampled", s->recording->name,
		     units_bytes(text, (uint64_t)s->distance));
	else if (*bounds_describe(text, &s->profile.sites, &s->image))
		warn("process %d: figures of the heap and of places are %s", (int)s->pid, text);
}

/* Otherwise an empty report looks like a program that allocates nothing. Many processes may have
 * slept to their end; the shell that executed the program is of no interest at all. */
static void warn_of_sleep(const struct report_subject *s)
{
	const struct mu_image *head = &s->image.head;
	const bool runs = head->end == MU_END_RUNNING;
	static bool is_said;

	if (!head->recorded.began_asleep || head->recorded.starts || is_said ||
	    head->end == MU_END_EXEC)
		return;
	is_said = true;
	warn("process %d: nothing %s recorded: it began asleep (--start-paused), and "
	     "memusage --pid=%d start was %s given",
	     (int)s->pid, runs ? "is" : "was", (int)s->pid, runs ? "not" : "never");
}

int report_subject_open(struct report_subject *s, const struct recording *r, uint32_t slot,
			const struct settings *settings)
{
	struct mu_slot entry;
	struct mu_error err;

	*s = (struct report_subject){ .recording = r, .slot = slot };
	if (!segment_slot(&r->segment, slot, &entry)) {
		warn("%s: holds no process", r->name);
		return -1;
	}
	s->pid = (pid_t)entry.pid;
	if (load_image(s, settings, &err) < 0) {
		warn("%s: %s", r->name, err.text);
		return -1;
	}
	s->is_live_copy = r->segment.head.kind == MU_KIND_KEPT &&
			  s->image.head.end == MU_END_RUNNING;
	if (s->pid == 0)
		s->pid = (pid_t)s->image.head.process.pid;
	warn_of_nameless_modules(s);
	warn_of_estimates(s);
	warn_of_sleep(s);
	if (settings->runtime_frames == RUNTIME_HIDE)
		report_subject_hide_runtime(s, settings);
	return 0;
}

void report_subject_hide_runtime(struct report_subject *s, const struct settings *settings)
{
	const struct filter_options o = settings_filter(settings);
	struct complete_stacks *c;

	if (s->complete || settings->runtime_frames == RUNTIME_SHOW)
		return;
	c = xcalloc(1, sizeof(*c));
	c->profile = s->profile;
	c->filter = s->filter;
	c->filter.profile = &c->profile;
	s->complete = c;
	program_stacks_init(&c->program, &c->filter, &o);
	s->profile = c->program.profile;
	s->filter = c->program.filter;
}

void report_subject_show_runtime(struct report_subject *s)
{
	struct complete_stacks *c = s->complete;

	if (!c)
		return;
	program_stacks_free(&c->program);
	s->profile = c->profile;
	s->filter = c->filter;
	s->filter.profile = &s->profile;
	s->complete = NULL;
	free(c);
}

const struct filter *report_subject_complete(const struct report_subject *s)
{
	return s->complete ? &s->complete->filter : &s->filter;
}

void report_subject_close(struct report_subject *s)
{
	report_subject_show_runtime(s);
	if (s->filter.profile)
		filter_free(&s->filter);
	profile_free(&s->profile);
	free(s->weight);
	free(s->errors);
	free(s->error);
	*s = (struct report_subject){ .recording = NULL };
}

/* True if a snapshot kept the values of places. */
static bool snapshot_has_tree(const struct report_subject *s, uint64_t snapshot)
{
	struct mu_snapshot shot;

	return image_snapshot(&s->image, snapshot, &shot) && snapshot_values_are_known(&shot);
}

/* Plain snapshots in quick succession are only figures (docs/format.md, section 8). The search
 * backwards ends: the first snapshot, of an empty heap, always has its values. */
static void warn_of_missing_tree(const struct report_subject *s, uint64_t snapshot, uint64_t count)
{
	const char *name = s->recording->name;
	uint64_t before = snapshot, after = snapshot + 1;

	while (before > 0 && !snapshot_has_tree(s, before))
		before--;
	while (after < count && !snapshot_has_tree(s, after))
		after++;
	if (after < count)
		warn("%s: snapshot %llu has no tree: the nearest with one are %llu and %llu", name,
		     (unsigned long long)snapshot, (unsigned long long)before,
		     (unsigned long long)after);
	else
		warn("%s: snapshot %llu has no tree: the last with one is %llu", name,
		     (unsigned long long)snapshot, (unsigned long long)before);
}

int report_subject_weigh(struct report_subject *s, enum metric_kind kind, int snapshot)
{
	uint64_t count = image_count(&s->image, MU_SEC_SNAPSHOTS);

	if (sites_weigh(&s->profile.sites, &s->image, kind, (uint64_t)snapshot, s->weight) == 0) {
		if (s->errors)
			site_errors_weigh(&s->profile.sites, s->errors, kind, s->weight, s->error);
		return 0;
	}
	if ((uint64_t)snapshot < count)
		warn_of_missing_tree(s, (uint64_t)snapshot, count);
	else if (count == 0)
		warn("%s: process %d has no snapshots: --tree=peak, end and total need none",
		     s->recording->name, (int)s->pid);
	else
		warn("%s: process %d has no snapshot %d: its snapshots are 0 to %llu",
		     s->recording->name, (int)s->pid, snapshot, (unsigned long long)count - 1);
	return -1;
}

/* A kept recording tells whether the process ran when it was copied: its ID may belong to another
 * one by now. */
bool report_subject_is_live(const struct report_subject *s)
{
	if (s->recording->segment.head.kind == MU_KIND_KEPT)
		return s->is_live_copy;
	return kill(s->pid, 0) == 0 || errno != ESRCH;
}

bool report_subject_counts_bytes(const struct report_subject *s)
{
	return s->recording->segment.head.config.time_unit == MU_UNIT_BYTES;
}

char *report_subject_command(const struct report_subject *s)
{
	return xcheck(image_command(&s->image));
}
