/* recordfile.c -- The recording that --record keeps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/recordfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/temporary.h"
#include "memusage/common/files.h"

#define DEFAULT_PATTERN "memusage.%p.mur"

/* The file has names and arguments of programs, so other users must not read it. */
static int open_file(struct recordfile *r)
{
	struct stat st;

	r->fd = output_open_file(r->name, 0, NULL);
	if (r->fd >= 0 && fstat(r->fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		close(r->fd);
		r->fd = -1;
		errno = ESPIPE;
	}
	return r->fd;
}

const char *recordfile_pattern(const struct settings *settings)
{
	return settings->record && *settings->record == '\0' ? DEFAULT_PATTERN : settings->record;
}

void recordfile_check(struct recordfile *r, const struct settings *settings)
{
	*r = (struct recordfile){ .pattern = recordfile_pattern(settings), .fd = -1 };
	if (!r->pattern && (settings_has_reports(settings) || settings->push.url))
		r->fd = temporary_open_or_die();
	if (!r->pattern)
		return;
	if (files_has_pid(r->pattern)) {
		files_check(r->pattern, 0);
		return;
	}
	r->name = files_expand(r->pattern, 0);
	if (open_file(r) < 0)
		die("cannot write %s: %s", r->name, output_refusal(r->name));
	files_lock(r->fd, r->name);
}

static bool ensure_open(struct recordfile *r, pid_t pid)
{
	if (!r->name && r->pattern)
		r->name = files_expand(r->pattern, pid);
	if (r->fd < 0 && open_file(r) < 0) {
		mu_error_set(&r->error, MU_ERROR_SYSTEM, 0, "%m");
		return false;
	}
	return true;
}

/* Opens the same file again: its name may mean another one by now. */
static int reopen_read_write(const struct recordfile *r)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

void recordfile_resume(struct recordfile *r, pid_t pid, const struct mu_segment *since)
{
	if ((!r->pattern && r->fd < 0) || r->keep.room > 0 || !ensure_open(r, pid))
		return;
	int fd = reopen_read_write(r);
	if (fd < 0)
		return;
	if (!save_resume(&r->keep, fd, since)) {
		close(fd);
		return;
	}
	close(r->fd);
	r->fd = fd;
	r->images = r->keep.head.slot_count;
}

static bool begin_recording(struct recordfile *r, pid_t pid, const struct mu_segment *from)
{
	if (!ensure_open(r, pid))
		return false;
	if (r->keep.room > 0)
		return true;
	if (ftruncate(r->fd, 0) < 0) {
		mu_error_set(&r->error, MU_ERROR_SYSTEM, 0, "%m");
		return false;
	}
	return save_begin(&r->keep, r->fd, from, &r->error) == 0;
}

void recordfile_begin(struct recordfile *r, pid_t pid, const struct mu_segment *from,
		      bool was_killed)
{
	struct mu_error ignored;

	if (!r->pattern)
		return;
	if (was_killed)
		recordfile_resume(r, pid, from);
	else
		begin_recording(r, pid, from);
	r->error.code = MU_ERROR_NONE;
	if (r->keep.room > 0)
		save_set_writer(&r->keep, getpid(), &ignored);
}

void recordfile_add(struct recordfile *r, pid_t pid, const struct mu_segment *from,
		    const struct image *im, const struct mu_slot *slot)
{
	if (!r->pattern && r->fd < 0)
		return;
	/* After a failure the file is left as it is, since its content is complete. */
	if (r->error.code != MU_ERROR_NONE || !begin_recording(r, pid, from) ||
	    save_add(&r->keep, im, slot, &r->error) < 0)
		r->lost++;
	else
		r->images++;
}

void recordfile_complete(struct recordfile *r)
{
	if (r->keep.room > 0 && r->keep.head.writer)
		save_set_writer(&r->keep, 0, &r->error);
}

void recordfile_close(struct recordfile *r)
{
	recordfile_complete(r);
	save_end(&r->keep);
	if (r->fd >= 0 && close(r->fd) < 0 && r->error.code == MU_ERROR_NONE)
		mu_error_set(&r->error, MU_ERROR_SYSTEM, 0, "%m");
	r->fd = -1;
	free(r->name);
	r->name = NULL;
}
