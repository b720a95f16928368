/* report_subject.c -- one process image of a recording, ready to be reported on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/report_subject.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "cli/xmalloc.h"
#include "profile/read/pick.h"
#include "profile/read/snapshot_values.h"
#include "profile/save/save.h"

enum { COMMAND_BYTES = 1 << 16 };

int recording_open(struct recording *r, const struct input *in, const char *file)
{
	struct mu_error err;

	*r = (struct recording){ .name = in->name };
	if (in->fd == STDIN_FILENO)
		file = "/dev/stdin";
	if (segment_open(&r->segment, file, &err) == 0)
		return 0;
	warn("%s: %s", r->name, err.text);
	return -1;
}

void recording_close(struct recording *r)
{
	segment_close(&r->segment);
}

uint32_t recording_find(const struct recording *r, pid_t wanted)
{
	return pick_process(&r->segment, wanted);
}

uint32_t recording_main(const struct recording *r)
{
	return pick_main(&r->segment);
}

/* ---- an image ---------------------------------------------------------------------------- */

static void show_progress(size_t done, size_t total, void *data)
{
	struct progress *p = data;

	p->total = total;
	progress_update(p, done);
}

static int resolve(struct subject *s, const struct settings *settings, struct mu_error *err)
{
	char perf_map[64];
	struct progress progress;
	const struct symbols_options o = {
		.perf_map = perf_map,
		.owner = s->image.head.process.uid,
		.roots = settings->root.item,
		.root_count = settings->root.count,
		.start_ns = segment_start_ns(&s->recording->segment, &s->image),
		.debuginfod = settings->debuginfod,
		.no_inlines = settings->read_inlines == NO,
		.no_demangle = settings->demangle == NO,
		.progress = show_progress,
		.data = &progress,
	};
	int result;

	snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", (int)s->pid);
	progress_begin(&progress, "looking up names", 0);
	result = profile_resolve(&s->profile, &o, err);
	progress_end(&progress);
	return result;
}

static int load(struct subject *s, const struct settings *settings, struct mu_error *err)
{
	const struct filter_options o = {
		.alloc_fn = settings->alloc_fn.item,
		.alloc_fns = settings->alloc_fn.count,
		.ignore_fn = settings->ignore_fn.item,
		.ignore_fns = settings->ignore_fn.count,
		.show_below_main = settings->below_main == YES,
	};

	if (segment_image(&s->recording->segment, s->slot, &s->image, err) < 0 ||
	    keep_verify(&s->recording->segment, &s->image, err) < 0 ||
	    profile_load(&s->profile, &s->image, err) < 0)
		return -1;
	modules_follow_links(&s->profile.modules);
	if (resolve(s, settings, err) < 0 || filter_init(&s->filter, &s->profile, &o, err) < 0)
		return -1;
	if (settings->lifetimes)
		sites_lifetimes(&s->profile.sites, &s->image);
	s->weight = xcalloc((size_t)s->profile.sites.count + 1, sizeof(*s->weight));
	return 0;
}

/* A module without names is worth a word, but not in the report, which may be read by programs. */
static void tell_states(const struct subject *s)
{
	const struct profile *p = &s->profile;

	for (uint32_t i = 0; i < p->modules.count && i < p->symbols.modules; i++) {
		const char *text = symbols_state_text(p->symbols.state[i]);
		const char *path = p->modules.module[i].path;

		/* "[vdso]" and the like are no files. */
		if (text && *path == '/')
			warn("%s: %s", path, text);
	}
}

int subject_open(struct subject *s, const struct recording *r, uint32_t slot,
		 const struct settings *settings)
{
	struct mu_slot entry;
	struct mu_error err;

	*s = (struct subject){ .recording = r, .slot = slot };
	if (!segment_slot(&r->segment, slot, &entry)) {
		warn("%s: holds no process", r->name);
		return -1;
	}
	s->pid = (pid_t)entry.pid;
	if (load(s, settings, &err) < 0) {
		warn("%s: %s", r->name, err.text);
		return -1;
	}
	if (s->pid == 0)
		s->pid = (pid_t)s->image.head.process.pid;
	tell_states(s);
	return 0;
}

void subject_close(struct subject *s)
{
	if (s->filter.profile)
		filter_free(&s->filter);
	profile_free(&s->profile);
	free(s->weight);
	*s = (struct subject){ .recording = NULL };
}

/* Whether a snapshot kept the values of places. */
static bool has_tree(const struct subject *s, uint64_t snapshot)
{
	struct mu_snapshot shot;

	return image_snapshot(&s->image, snapshot, &shot) && shotvalues_are_known(&shot);
}

/* Plain snapshots in quick succession are only figures (docs/format.md, section 8). The first one
 * is of an empty heap, and known. */
static void tell_no_tree(const struct subject *s, uint64_t snapshot, uint64_t count)
{
	const char *name = s->recording->name;
	uint64_t before = snapshot, after = snapshot + 1;

	while (before > 0 && !has_tree(s, before))
		before--;
	while (after < count && !has_tree(s, after))
		after++;
	if (after < count)
		warn("%s: snapshot %llu has no tree: the nearest that have are %llu and %llu", name,
		     (unsigned long long)snapshot, (unsigned long long)before,
		     (unsigned long long)after);
	else
		warn("%s: snapshot %llu has no tree: the last that has is %llu", name,
		     (unsigned long long)snapshot, (unsigned long long)before);
}

int subject_weigh(struct subject *s, enum metric_kind kind, int snapshot)
{
	uint64_t count = image_count(&s->image, MU_SEC_SNAPSHOTS);

	if (sites_weigh(&s->profile.sites, &s->image, kind, (uint64_t)snapshot, s->weight) == 0)
		return 0;
	if ((uint64_t)snapshot < count)
		tell_no_tree(s, (uint64_t)snapshot, count);
	else
		warn("%s: process %d has no snapshot %d: there are %llu", s->recording->name,
		     (int)s->pid, snapshot, (unsigned long long)count);
	return -1;
}

char *subject_command(const struct subject *s)
{
	char *text = image_command(&s->image);

	if (!text)
		die("no memory for the command line");
	return text;
}
