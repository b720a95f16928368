/* place_names.c -- Looks up the names of a process's places, as the options ask for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/place_names.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/cache_dir.h"
#include "cli/progress.h"
#include "cli/version.h"
#include "profile/names/names_cache.h"

int place_names_resolve(struct profile *p, const struct segment *segment, const struct image *im,
			pid_t pid, const struct settings *settings, bool has_progress,
			struct mu_error *err)
{
	char perf_map[64];
	struct progress progress;
	const struct names_cache cache = {
		.directory = settings->no_names_cache ? -1 : cache_dir_open(),
		.version = MEMUSAGE_VERSION,
	};
	const struct symbols_options o = {
		.cache = cache.directory >= 0 ? &cache : NULL,
		.perf_map = perf_map,
		.owner = im->head.process.uid,
		.roots = settings->root.item,
		.root_count = settings->root.count,
		.start_ns = segment_start_ns(segment, im),
		.debuginfod = settings->debuginfod,
		.no_inlines = settings->read_inlines == NO,
		.no_demangle = settings->demangle == NO,
		.progress = has_progress ? progress_update_total : NULL,
		.data = &progress,
	};
	int result;

	snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", (int)pid);
	if (has_progress)
		progress_begin(&progress, "looking up names", 0);
	result = profile_resolve(p, &o, err);
	if (has_progress)
		progress_end(&progress);
	if (cache.directory >= 0)
		close(cache.directory);
	return result;
}
