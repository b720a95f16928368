/* recorded_process.c -- Loads a process of a recording, with names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/recorded_process.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "profile/read/pick.h"
#include "profile/save/save.h"

static uint32_t count_images(const struct segment *s)
{
	struct image im;
	uint32_t count = 0;

	for (uint32_t k = 0; k < s->head.slot_count; k++)
		count += segment_image(s, k, &im, NULL) == 0;
	return count;
}

static uint32_t choose_process_slot(struct recorded_process *r, const char *file, pid_t pid,
				    struct mu_slot *slot)
{
	uint32_t k = pid ? pick_process(&r->segment, pid) : pick_main(&r->segment);

	if (k == PICK_NONE && pid)
		die("%s: holds no process %d", file, (int)pid);
	if (k == PICK_NONE || !segment_slot(&r->segment, k, slot))
		die("%s: holds no process that can be read", file);
	return k;
}

static int resolve_names(struct recorded_process *r, int pid, struct mu_error *err)
{
	char perf_map[64];
	struct progress progress;
	const struct symbols_options o = {
		.perf_map = perf_map, .owner = r->image.head.process.uid,
		.progress = progress_update_total, .data = &progress,
		.start_ns = segment_start_ns(&r->segment, &r->image),
	};
	int result;

	snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", pid);
	progress_begin(&progress, "looking up names", 0);
	result = profile_resolve(&r->profile, &o, err);
	progress_end(&progress);
	return result;
}

static int load_with_names(struct recorded_process *r, uint32_t k, int pid, struct mu_error *err)
{
	if (segment_image(&r->segment, k, &r->image, err) < 0 ||
	    save_verify(&r->segment, &r->image, err) < 0 ||
	    profile_load(&r->profile, &r->image, err) < 0)
		return -1;
	modules_follow_links(&r->profile.modules);
	sites_lifetimes(&r->profile.sites, &r->image);
	if (resolve_names(r, pid, err) < 0)
		return -1;
	return filter_init(&r->filter, &r->profile, NULL, err);
}

/* Returns the time of the last known moment: the end, or the last snapshot of a process that was
 * killed. */
static uint64_t measured_duration(const struct image *im)
{
	const struct mu_process *p = &im->head.process;
	uint64_t end = p->exit_mono_ns;

	for (uint64_t i = 0; i < image_count(im, MU_SEC_SNAPSHOTS); i++) {
		struct mu_snapshot s;

		if (!image_snapshot(im, i, &s))
			break;
		if (s.mono_ns > end)
			end = s.mono_ns;
	}
	return end > p->start_mono_ns ? end - p->start_mono_ns : 0;
}

void recorded_process_open(struct recorded_process *r, const char *file, pid_t pid)
{
	struct mu_slot slot;
	struct mu_error err;
	uint32_t k;

	*r = (struct recorded_process){ .command = NULL };
	if (segment_open(&r->segment, file, &err) < 0)
		die("%s: %s", file, err.text);
	k = choose_process_slot(r, file, pid, &slot);
	if (load_with_names(r, k, (int)slot.pid, &err) < 0)
		die("%s: %s", file, err.text);
	result_take(&r->result, &r->image);
	r->images = count_images(&r->segment);
	r->command = image_command(&r->image);
	if (!r->command)
		die("no memory for the command line");
	r->export = (struct export){
		.filter = &r->filter, .image = &r->image, .command = r->command,
		.version = MEMUSAGE_VERSION,
		.pid = slot.pid ? slot.pid : r->image.head.process.pid,
		.start_real_ns = segment_start_ns(&r->segment, &r->image),
		.duration_ns = measured_duration(&r->image),
	};
}

void recorded_process_close(struct recorded_process *r)
{
	filter_free(&r->filter);
	profile_free(&r->profile);
	segment_close(&r->segment);
	free(r->command);
}
