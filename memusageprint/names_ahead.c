/* names_ahead.c -- Looks up the names of a recording while its program still runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/names_ahead.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/cache_dir.h"
#include "cli/version.h"
#include "profile/base/limits.h"
#include "profile/model/profile.h"
#include "profile/names/names_cache.h"
#include "profile/read/segment.h"

enum {
	IMAGES_MAX = 16,	/* that are looked at: programs that fork have the same code */
	CPU_SECONDS = 30,	/* of this process, and of each module */
	IDLE_IO = 3 << 13	/* IOPRIO_CLASS_IDLE: ioprio_set(2) */
};
#define MEMORY (UINT64_C(1) << 30)

/* Writes a word to a file of the kernel, which may have no such file. */
static void write_own_setting(const char *file, const char *word)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		dprintf(fd, "%s", word);
		close(fd);
	}
}

/* The program must not notice: this process runs when a CPU has nothing else to do, and is the
 * first that the kernel ends when memory is short. Children inherit that.
 *
 * With autogroups the scheduler shares CPUs between sessions, and priorities count within one only:
 * alone in the collector's, this process would get as much as the program. Source sched(7). */
static void give_way_to_others(void)
{
	const struct sched_param none = { .sched_priority = 0 };

	setsid();
	write_own_setting("/proc/self/autogroup", "19");
	write_own_setting("/proc/self/oom_score_adj", "1000");
	setpriority(PRIO_PROCESS, 0, 19);
	sched_setscheduler(0, SCHED_IDLE, &none);
	syscall(SYS_ioprio_set, 1, 0, IDLE_IO);
	limits_lower(RLIMIT_CPU, CPU_SECONDS);
}

static void look_up_image(const struct segment *segment, const struct image *im,
			  const struct settings *settings, const struct names_cache *cache)
{
	const struct symbols_options o = {
		.roots = settings->root.item,
		.root_count = settings->root.count,
		.no_inlines = settings->read_inlines == NO,
		.no_demangle = settings->demangle == NO,
		.start_ns = segment_start_ns(segment, im),
		.seconds = CPU_SECONDS,
		.cache = cache,
	};
	struct profile p;

	profile_load_places(&p, im);
	modules_follow_links(&p.modules);
	profile_resolve(&p, &o, NULL);
	profile_free(&p);
}

static void look_up_all_images(const struct segment *segment, const struct settings *settings,
			       const struct names_cache *cache)
{
	struct image im;
	int count = 0;

	for (uint32_t k = 0; k < segment->head.slot_count && count < IMAGES_MAX; k++) {
		if (segment_image(segment, k, &im, NULL) < 0)
			continue;
		look_up_image(segment, &im, settings, cache);
		count++;
	}
}

int names_ahead_look_up(const struct settings *settings)
{
	const struct names_cache cache = { .directory = cache_dir_open(),
					   .version = MEMUSAGE_VERSION };
	struct segment segment;

	give_way_to_others();
	if (cache.directory < 0 || segment_open(&segment, settings->files[0], NULL) < 0)
		return EXIT_FAILURE;
	/* The mapping of the recording, a TiB without pages, does not count. */
	limits_memory(MEMORY);
	look_up_all_images(&segment, settings, &cache);
	segment_close(&segment);
	return EXIT_SUCCESS;
}
