/* report_subject.c -- One process image of a recording, ready to be reported on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/report_subject.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "cli/xmalloc.h"
#include "profile/read/snapshot_values.h"
#include "profile/save/save.h"

static int resolve_names(struct report_subject *s, const struct settings *settings,
			 struct mu_error *err)
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
		.progress = progress_update_total,
		.data = &progress,
	};
	int result;

	snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", (int)s->pid);
	progress_begin(&progress, "looking up names", 0);
	result = profile_resolve(&s->profile, &o, err);
	progress_end(&progress);
	return result;
}

static int load_image(struct report_subject *s, const struct settings *settings,
		      struct mu_error *err)
{
	const struct filter_options o = {
		.alloc_fn = settings->alloc_fn.item,
		.alloc_fns = settings->alloc_fn.count,
		.ignore_fn = settings->ignore_fn.item,
		.ignore_fns = settings->ignore_fn.count,
		.show_below_main = settings->below_main == YES,
	};

	if (segment_image(&s->recording->segment, s->slot, &s->image, err) < 0 ||
	    save_verify(&s->recording->segment, &s->image, err) < 0 ||
	    profile_load(&s->profile, &s->image, err) < 0)
		return -1;
	modules_follow_links(&s->profile.modules);
	if (resolve_names(s, settings, err) < 0 ||
	    filter_init(&s->filter, &s->profile, &o, err) < 0)
		return -1;
	if (settings->lifetimes)
		sites_lifetimes(&s->profile.sites, &s->image);
	s->weight = xcalloc((size_t)s->profile.sites.count + 1, sizeof(*s->weight));
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
	if (s->pid == 0)
		s->pid = (pid_t)s->image.head.process.pid;
	warn_of_nameless_modules(s);
	return 0;
}

void report_subject_close(struct report_subject *s)
{
	if (s->filter.profile)
		filter_free(&s->filter);
	profile_free(&s->profile);
	free(s->weight);
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

	if (sites_weigh(&s->profile.sites, &s->image, kind, (uint64_t)snapshot, s->weight) == 0)
		return 0;
	if ((uint64_t)snapshot < count)
		warn_of_missing_tree(s, (uint64_t)snapshot, count);
	else
		warn("%s: process %d has no snapshot %d: there are %llu", s->recording->name,
		     (int)s->pid, snapshot, (unsigned long long)count);
	return -1;
}

char *report_subject_command(const struct report_subject *s)
{
	char *text = image_command(&s->image);

	if (!text)
		die("no memory for the command line");
	return text;
}
