/* look.c -- The processes of a run at one moment, with the names of their places.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/source/look.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cache_dir.h"
#include "cli/temporary.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "profile/names/names_cache.h"
#include "profile/read/image_end.h"
#include "profile/save/save.h"

static int resolve_names(struct look_process *p, const struct look *l, const struct look_options *o,
			 struct mu_error *err)
{
	const struct names_cache cache = {
		.directory = o->no_names_cache ? -1 : cache_dir_open(),
		.version = MEMUSAGE_VERSION,
	};
	char perf_map[64];
	const struct symbols_options symbols = {
		.cache = cache.directory >= 0 ? &cache : NULL,
		.perf_map = perf_map,
		.owner = p->image.head.process.uid,
		.start_ns = segment_start_ns(&l->segment, &p->image),
	};
	int result;

	snprintf(perf_map, sizeof(perf_map), "/tmp/perf-%d.map", (int)p->pid);
	modules_follow_links(&p->profile.modules);
	result = profile_resolve(&p->profile, &symbols, err);
	if (cache.directory >= 0)
		close(cache.directory);
	return result;
}

static int load_places(struct look_process *p, const struct look *l, const struct look_options *o,
		       struct mu_error *err)
{
	profile_load(&p->profile, &p->image);
	sites_lifetimes(&p->profile.sites, &p->image);
	if (!o->has_names)
		return 0;
	if (resolve_names(p, l, o, err) < 0)
		return -1;
	filter_init(&p->filter, &p->profile, NULL);
	return 0;
}

static int load_process(struct look_process *p, const struct look *l, const struct look_options *o,
			struct mu_error *err)
{
	if (segment_image(&l->segment, p->slot, &p->image, err) < 0 ||
	    save_verify(&l->segment, &p->image, err) < 0)
		return -1;
	if (o->parts != RUN_FIGURES && load_places(p, l, o, err) < 0)
		return -1;
	result_take(&p->result, &p->image);
	p->command = xcheck(image_command(&p->image));
	p->export = (struct export){
		.filter = &p->filter,
		.image = &p->image,
		.command = p->command,
		.version = MEMUSAGE_VERSION,
		.pid = (uint32_t)p->pid,
		.start_real_ns = segment_start_ns(&l->segment, &p->image),
		.duration_ns = image_duration_ns(&p->image),
	};
	return 0;
}

static void free_process(struct look_process *p)
{
	if (p->filter.profile)
		filter_free(&p->filter);
	profile_free(&p->profile);
	free(p->command);
	free(p);
}

static int add_process(struct look *l, uint32_t k, const struct mu_slot *slot,
		       const struct look_options *o, struct mu_error *err)
{
	struct look_process *p = xcalloc(1, sizeof(*p));

	p->pid = (pid_t)slot->pid;
	p->slot = k;
	p->generation = slot->generation;
	if (load_process(p, l, o, err) < 0) {
		free_process(p);
		return -1;
	}
	l->process = xreallocarray(l->process, l->count + 1, sizeof(*l->process));
	l->process[l->count++] = p;
	return 0;
}

static int load_processes(struct look *l, const struct look_options *o, struct mu_error *err)
{
	struct mu_slot slot;

	process_list_load(&l->list, &l->segment);
	for (uint32_t k = o->first; segment_slot(&l->segment, k, &slot); k++) {
		if ((o->pid == 0 || o->pid == (pid_t)slot.pid) &&
		    add_process(l, k, &slot, o, err) < 0)
			return -1;
	}
	if (l->count > 0)
		return 0;
	return o->pid ? mu_error_set(err, MU_ERROR_NONE, 0, "process %d is not recorded now",
				     (int)o->pid) :
			mu_error_set(err, MU_ERROR_NONE, 0, "no process is recorded now");
}

static int open_copy(struct look *l, struct mu_error *err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", l->file);
	return segment_open(&l->segment, path, err);
}

int look_take(struct look *l, const struct run *r, const struct look_options *o,
	      struct mu_error *err)
{
	*l = (struct look){ .file = temporary_open() };
	if (l->file < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot create a temporary file: %m; "
				    "set TMPDIR to a writable directory");
	if (run_copy(r, l->file, o->parts, err) < 0 || open_copy(l, err) < 0)
		return -1;
	return load_processes(l, o, err);
}

int look_open(struct look *l, int file, const struct look_options *o, struct mu_error *err)
{
	*l = (struct look){ .file = fcntl(file, F_DUPFD_CLOEXEC, 3) };
	return open_copy(l, err) < 0 ? -1 : load_processes(l, o, err);
}

void look_close(struct look *l)
{
	for (size_t i = 0; i < l->count; i++)
		free_process(l->process[i]);
	free(l->process);
	process_list_free(&l->list);
	segment_close(&l->segment);
	if (l->file > 0)
		close(l->file);
	*l = (struct look){ .file = -1 };
}
