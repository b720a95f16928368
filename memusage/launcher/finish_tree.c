/* finish_tree.c -- Complete the recording of a run that was killed together with memusage.
 *
 * It does what the collector would have done when the last process had ended: an image of the
 * arena that is not in the recording yet is appended. So a finish that is killed itself can be
 * repeated. Everything in the files is hostile: processes of the program had their descriptors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/finish_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/common/escape.h"
#include "memusage/common/process.h"
#include "memusage/launcher/finish_data.h"
#include "memusage/launcher/report_file.h"
#include "memusage/record/durable.h"
#include "memusage/report/outputs.h"
#include "memusage/report/report.h"
#include "memusage/report/reports.h"

enum { ARENAS_MAX = 64, LOCK_TRIES = 20, LOCK_PAUSE_NS = 50000000 };

struct arena_file {
	char *name;		/* owned */
	int fd;			/* holds the lock */
	struct segment segment;
	struct ledger ledger;
};

/* An image that is not in the recording yet. */
struct left_image {
	const struct arena_file *file;
	uint32_t k;
	struct mu_slot slot;
};

struct finish {
	struct settings settings;
	struct session session;
	struct report report;
	struct arena_file file[ARENAS_MAX];
	unsigned int files;
	struct ledger_head head;
	struct segment kept;	/* the recording as it was found */
	struct left_image *left;
	size_t left_count;
	uint64_t ended;		/* images that the collector had kept */
	uint64_t running;
	uint64_t unreadable;
};

/* ---- the arenas --------------------------------------------------------------------------- */

static bool is_tree(const char *name)
{
	struct mu_segment head;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_found = fd >= 0 && pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
			head.magic == MU_SEGMENT_MAGIC && head.kind == MU_KIND_TREE;

	if (fd >= 0)
		close(fd);
	return is_found;
}

char *finish_tree_name(const char *file)
{
	char *name;

	if (is_tree(file))
		return xstrdup(file);
	name = durable_name(file, 0);
	if (is_tree(name))
		return name;
	free(name);
	return NULL;
}

/* A process that was killed may take a moment to end. */
static bool lock_arena(int fd)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (durable_lock(fd))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

/* "process 4711 still records into it" */
static void explain_lock(const char *name)
{
	struct segment s;
	struct mu_slot slot;
	struct mu_error err;
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	pid_t found = 0;

	if (fd >= 0 && segment_open(&s, name, &err) == 0) {
		for (uint32_t k = 0; found == 0 && segment_slot(&s, k, &slot); k++) {
			const pid_t pid = (pid_t)slot.pid;

			if (slot.state != MU_SLOT_FREE &&
			    process_maps(pid, fd) == PROCESS_HAS_MAPPED)
				found = pid;
		}
		segment_close(&s);
	}
	if (fd >= 0)
		close(fd);
	if (found > 0)
		warn("%s: the run is not over: process %d still records into it; memusage --pid=%d "
		     "makes reports of now", name, (int)found, (int)found);
	else
		warn("%s: the run is not over: one of its processes lives, or another --finish is "
		     "at work", name);
}

static void close_arena_file(struct arena_file *f)
{
	segment_close(&f->segment);
	if (f->fd >= 0)
		close(f->fd);
	free(f->name);
	*f = (struct arena_file){ .fd = -1 };
}

/* Takes over NAME. Returns false after a warning. */
static bool open_arena_file(struct arena_file *f, char *name)
{
	struct mu_error err = { .code = MU_ERROR_NONE };

	*f = (struct arena_file){ .name = name, .fd = -1 };
	f->fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (f->fd < 0) {
		warn("%s: %m", name);
	} else if (!lock_arena(f->fd)) {
		explain_lock(name);
	} else if (segment_open(&f->segment, name, &err) < 0) {
		warn("%s: %s", name, err.text);
	} else if (f->segment.head.kind != MU_KIND_TREE) {
		warn("%s: not the arena of a run with --durable", name);
	} else {
		durable_guard(f->segment.base, f->segment.size);
		f->ledger = (struct ledger){ .fd = f->fd, .start = f->segment.head.size };
		return true;
	}
	close_arena_file(f);
	return false;
}

static bool is_same_run(const struct mu_segment *a, const struct mu_segment *b)
{
	return a->start_mono_ns == b->start_mono_ns && a->start_real_ns == b->start_real_ns;
}

/* The other arenas of the run, if it had more processes than one holds, or of several users. */
static bool open_more_arenas(struct finish *f)
{
	const char *first = f->file[0].name;

	for (unsigned int i = 1; i < ARENAS_MAX; i++) {
		char *name = xasprintf("%s.%u", first, i);
		struct arena_file *more = &f->file[f->files];

		if (!is_tree(name)) {
			free(name);
			continue;
		}
		if (!open_arena_file(more, name))
			return false;
		if (is_same_run(&more->segment.head, &f->file[0].segment.head))
			f->files++;
		else
			close_arena_file(more);
	}
	return true;
}

static bool open_arenas(struct finish *f, const char *name)
{
	if (!open_arena_file(&f->file[0], xstrdup(name)))
		return false;
	f->files = 1;
	if (!open_more_arenas(f))
		return false;
	for (unsigned int i = 0; i < f->files; i++) {
		struct arena_file *one = &f->file[i];
		struct ledger_head head;

		if (!ledger_read(&one->ledger, &head))
			continue;
		one->ledger.slot_count = head.slot_count;
		if (i == 0)
			f->head = head;
	}
	return true;
}

/* ---- the recording ------------------------------------------------------------------------ */

/* A recording whose header was not written yet begins with zeros. */
static bool is_begun(const char *name)
{
	uint64_t magic = 0;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && pread(fd, &magic, sizeof(magic), 0) < (ssize_t)sizeof(magic))
		magic = 0;
	if (fd >= 0)
		close(fd);
	return magic != 0;
}

/* Continues the recording that the collector had begun. Returns false after a warning. */
static bool resume_record(struct finish *f, const char *name)
{
	struct recordfile *r = &f->session.record;
	const struct mu_segment *head = &f->file[0].segment.head;
	struct mu_error err;

	*r = (struct recordfile){ .pattern = name, .name = xstrdup(name), .fd = -1 };
	if (!is_begun(name))
		return true;
	recordfile_resume(r, 0, head);
	if (r->keep.room == 0 || !is_same_run(&r->keep.head, head)) {
		warn("%s: not the recording of the run of %s; name another file by --record=FILE",
		     name, f->file[0].name);
		return false;
	}
	if (r->images > 0 && segment_open(&f->kept, name, &err) < 0) {
		warn("%s: %s", name, err.text);
		return false;
	}
	f->ended = r->images;
	return true;
}

static bool is_kept(const struct finish *f, const struct mu_slot *slot)
{
	struct mu_slot kept;

	for (uint32_t k = 0; segment_slot(&f->kept, k, &kept); k++)
		if (kept.claimed_ns == slot->claimed_ns && kept.generation == slot->generation)
			return true;
	return false;
}

/* ---- images ------------------------------------------------------------------------------- */

static int compare_claims(const void *a, const void *b)
{
	const struct left_image *x = a, *y = b;

	return (x->slot.claimed_ns > y->slot.claimed_ns) -
	       (x->slot.claimed_ns < y->slot.claimed_ns);
}

/* Those of forked children without an event of their own are dropped, as the collector does. */
static void find_left_images(struct finish *f)
{
	for (unsigned int i = 0; i < f->files; i++) {
		struct mu_slot slot;

		for (uint32_t k = 0; segment_slot(&f->file[i].segment, k, &slot); k++) {
			if ((slot.state != MU_SLOT_LIVE && slot.state != MU_SLOT_LEFT) ||
			    is_kept(f, &slot))
				continue;
			f->left = xreallocarray(f->left, f->left_count + 1, sizeof(*f->left));
			f->left[f->left_count++] =
				(struct left_image){ .file = &f->file[i], .k = k, .slot = slot };
		}
	}
	if (f->left_count > 0)
		qsort(f->left, f->left_count, sizeof(*f->left), compare_claims);
}

static enum report_role role_of(const struct finish *f, const struct mu_image *head, uint32_t pid)
{
	if (head->process.fork_mono_ns)
		return REPORT_FORKED;
	if (pid == (f->head.owner ? f->head.owner : f->head.root))
		return REPORT_MAIN;
	return head->end == MU_END_EXEC ? REPORT_EARLIER : REPORT_OTHER;
}

static void report_one(struct finish *f, struct image *im, uint32_t pid)
{
	struct result *result = xmalloc(sizeof(*result));

	result_take(result, im);
	report_add(&f->report, role_of(f, &im->head, pid), (int)pid, result);
}

static void report_kept_images(struct finish *f)
{
	struct mu_slot slot;

	for (uint32_t k = 0; segment_slot(&f->kept, k, &slot); k++) {
		struct image im;

		if (segment_image(&f->kept, k, &im, NULL) == 0)
			report_one(f, &im, slot.pid);
	}
	segment_close(&f->kept);
}

/* With the sample that the process took at its exit. */
static void add_timeline(struct image *im, struct samples *samples)
{
	struct mu_sample last;

	if (samples->count == 0)
		return;
	if (image_copy_entry(im, MU_SEC_TIMELINE, 0, &last, sizeof(last)) &&
	    last.mono_ns >= samples->item[samples->count - 1].mono_ns)
		samples_add(samples, &last);
	if (samples->rss_peak > im->rss_peak)
		im->rss_peak = samples->rss_peak;
	image_replace(im, MU_SEC_TIMELINE, samples->item, samples->count, sizeof(*samples->item));
}

static void finish_image(struct finish *f, const struct left_image *left)
{
	const struct segment *s = &left->file->segment;
	struct mu_slot slot = left->slot;
	struct samples samples;
	struct image im;
	pid_t pid;

	if (segment_image(s, left->k, &im, NULL) < 0) {
		f->unreadable++;
		return;
	}
	ledger_read_slot(&left->file->ledger, left->k, &left->slot, &pid, &samples);
	if (pid > 0)
		slot.pid = (uint32_t)pid;
	add_timeline(&im, &samples);
	report_one(f, &im, slot.pid);
	recordfile_add(&f->session.record, (pid_t)f->head.root, &s->head, &im, &slot);
	samples_free(&samples);
	f->running++;
}

/* ---- reports ------------------------------------------------------------------------------ */

static void report_run(struct finish *f)
{
	char safe[2 * LEDGER_COMMAND];

	report_line(&f->report, "the run was killed, and memusage with it: %llu of its processes "
		    "had ended; the figures of the other %llu are those of that moment",
		    (unsigned long long)f->ended, (unsigned long long)f->running);
	if (f->head.command[0])
		report_line(&f->report, "it was started as: %s",
			    escape_text(safe, sizeof(safe), f->head.command));
	if (f->unreadable > 0)
		report_note(&f->report, "%s: %llu image%s cannot be read", f->file[0].name,
			    (unsigned long long)f->unreadable, f->unreadable == 1 ? "" : "s");
}

static void make_reports(struct finish *f)
{
	const struct settings *s = f->session.settings;

	if (settings_has_reports(s) && f->session.record.images > 0)
		reports_make(&f->session, &f->report, 0,
			     f->report.main ? f->report.main_pid : 0);
}

static void print_report(struct finish *f)
{
	const bool is_answer = settings_has_answer(f->session.settings);
	const char *why = f->ended + f->running > 0 ? "of the program itself nothing was recorded" :
						      "nothing was recorded before the kill";

	report_run(f);
	if (is_answer)
		make_reports(f);
	report_finish(&f->report, why, NULL);
	if (!is_answer)
		make_reports(f);
}

static int remove_arenas(struct finish *f)
{
	int result = 0;

	for (unsigned int i = 0; i < f->files; i++) {
		if (unlink(f->file[i].name) == 0)
			continue;
		warn("cannot remove %s: %m", f->file[i].name);
		result = -1;
	}
	return result;
}

static int finish_images(struct finish *f)
{
	struct recordfile *r = &f->session.record;

	find_left_images(f);
	report_kept_images(f);
	for (size_t i = 0; i < f->left_count; i++)
		finish_image(f, &f->left[i]);
	free(f->left);
	recordfile_complete(r);
	print_report(f);
	if (r->lost == 0 && r->error.code == MU_ERROR_NONE)
		return 0;
	warn("%s: %s: %llu process%s missing in it; %s is kept", r->name, r->error.text,
	     (unsigned long long)r->lost, r->lost == 1 ? " is" : "es are", f->file[0].name);
	return -1;
}

/* The recorder's settings are those of the run. */
static void open_session(struct finish *f, const struct settings *settings)
{
	f->settings = *settings;
	f->settings.mmap = (f->file[0].segment.head.config.flags & MU_CFG_MMAP) != 0;
	f->session.settings = &f->settings;
	report_file_open(&f->session);
	report_open(&f->report, &f->settings, f->session.report, f->session.color);
}

int finish_tree(const struct settings *settings, const char *name, const char *record)
{
	static struct finish f;
	char *own = durable_record_of(name);
	int result = -1;

	f = (struct finish){ .session = { .wire = -1, .report = -1, .text = -1,
					  .judged = -1,
					  .ended_images = -1, .record.fd = -1 } };
	if (!record && !own)
		warn("%s: name the recording to make of it by --record=FILE", name);
	else if (open_arenas(&f, name) && resume_record(&f, record ? record : own)) {
		open_session(&f, settings);
		result = finish_images(&f);
		report_close(&f.report);
		recordfile_close(&f.session.record);
		if (finish_data(settings) < 0)
			result = -1;
		if (result == 0)
			result = remove_arenas(&f);
	}
	for (unsigned int i = 0; i < f.files; i++)
		close_arena_file(&f.file[i]);
	free(own);
	return result;
}
