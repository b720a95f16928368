/* recorded_process.c -- Loads a process of a recording, with names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/recorded_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cache_dir.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "memusagestat/recording_file.h"
#include "profile/names/names_cache.h"
#include "profile/read/image_end.h"
#include "profile/read/pick.h"
#include "profile/save/save.h"
#include "recording/points.h"

static uint32_t choose_largest(const struct recorded_process *r)
{
	const struct process_entry *largest = process_list_largest(
		&r->processes, pick_main(&r->segment), PROCESS_PEAK);

	return largest ? largest->slot : PICK_NONE;
}

static uint32_t choose_process_slot(struct recorded_process *r, const char *file, pid_t pid,
				    struct mu_slot *slot)
{
	uint32_t k = pid ? pick_process(&r->segment, pid) : choose_largest(r);
	char all[1024];

	process_list_name_all(&r->processes, all, sizeof(all));
	if (k == PICK_NONE && pid)
		die("%s: holds no process %d, but %s", file, (int)pid, *all ? all : "none");
	if (k == PICK_NONE || !segment_slot(&r->segment, k, slot))
		die("%s: holds no process that can be read", file);
	return k;
}

static int resolve_names(struct recorded_process *r, int pid, bool is_cached, struct mu_error *err)
{
	char perf_map[64];
	struct progress progress;
	const struct names_cache cache = { .directory = is_cached ? cache_dir_open() : -1,
					   .version = MEMUSAGE_VERSION };
	const struct symbols_options o = {
		.perf_map = perf_map, .owner = r->image.head.process.uid,
		.cache = cache.directory >= 0 ? &cache : NULL,
		.progress = progress_update_total, .data = &progress,
		.start_ns = segment_start_ns(&r->segment, &r->image),
	};
	int result;

	snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", pid);
	progress_begin(&progress, "looking up names", 0);
	result = profile_resolve(&r->profile, &o, err);
	progress_end(&progress);
	if (cache.directory >= 0)
		close(cache.directory);
	return result;
}

static struct filter_options filter_options_of(const struct settings *s)
{
	return (struct filter_options){ .alloc_fn = s->alloc_fn.item,
					.alloc_fns = s->alloc_fn.count };
}

static int load_with_names(struct recorded_process *r, uint32_t k, int pid,
			   const struct settings *s, struct mu_error *err)
{
	const struct filter_options o = filter_options_of(s);

	if (segment_image(&r->segment, k, &r->image, err) < 0 ||
	    save_verify(&r->segment, &r->image, err) < 0)
		return -1;
	profile_load(&r->profile, &r->image);
	modules_follow_links(&r->profile.modules);
	sites_lifetimes(&r->profile.sites, &r->image);
	if (resolve_names(r, pid, !s->no_names_cache, err) < 0)
		return -1;
	filter_init(&r->filter, &r->profile, &o);
	return 0;
}

void recorded_process_open(struct recorded_process *r, const char *file,
			   const struct settings *s)
{
	struct mu_slot slot;
	char damage[SEGMENT_DAMAGE_LENGTH];
	struct mu_error err;
	uint32_t k, whole;

	*r = (struct recorded_process){ .command = NULL };
	if (recording_file_open(&r->segment, file, &err) < 0)
		die("%s: %s", file, err.text);
	whole = segment_damage(&r->segment, damage);
	if (*damage && whole == 0)
		die("%s: %s", file, damage);
	process_list_load(&r->processes, &r->segment);
	k = r->slot = choose_process_slot(r, file, (pid_t)s->pid, &slot);
	if (*damage)
		warn("%s: %s: the result shows process %u", file, damage, slot.pid);
	if (load_with_names(r, k, (int)slot.pid, s, &err) < 0)
		die("%s: %s", file, err.text);
	result_take(&r->result, &r->image);
	r->command = xcheck(image_command(&r->image));
	r->export = (struct export){
		.filter = &r->filter, .image = &r->image, .command = r->command,
		.version = MEMUSAGE_VERSION,
		.pid = slot.pid ? slot.pid : r->image.head.process.pid,
		.start_real_ns = segment_start_ns(&r->segment, &r->image),
		.duration_ns = image_duration_ns(&r->image),
		.by_bytes = r->segment.head.config.time_unit == MU_UNIT_BYTES,
	};
}

void recorded_process_hide_runtime(struct recorded_process *r, const struct settings *s)
{
	const struct filter_options o = filter_options_of(s);

	program_stacks_init(&r->program, &r->filter, &o);
	r->export.filter = &r->program.filter;
}

void recorded_process_close(struct recorded_process *r)
{
	program_stacks_free(&r->program);
	filter_free(&r->filter);
	profile_free(&r->profile);
	process_list_free(&r->processes);
	segment_close(&r->segment);
	free(r->command);
}
