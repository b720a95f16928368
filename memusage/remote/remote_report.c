/* remote_report.c -- Reports of now.
 *
 * The recording of the process is copied to a nameless file, as a kept recording: so every report
 * is made in the same way as that of a process that has ended.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/temporary.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusage/common/asked_findings.h"
#include "memusage/common/child.h"
#include "memusage/record/live_copy.h"
#include "memusage/remote/remote_findings.h"
#include "memusage/remote/remote_output.h"
#include "memusage/remote/remote_samples.h"

static void warn_about_quality(const struct remote *r, const struct live_copy *c)
{
	char text[UNITS_LENGTH];

	if (c->moved > 0)
		warn("process %d: it kept running meanwhile: figures are exact to within %s",
		     (int)r->pid, units_bytes(text, c->moved));
	else if (c->in_flight > 0)
		warn("process %d: figures lack %u call%s that were not finished", (int)r->pid,
		     c->in_flight, c->in_flight == 1 ? "" : "s");
}

static int save_copy(struct remote *r, struct live_copy *c, int fd, struct mu_error *err)
{
	struct live *l = &r->contact.live;
	struct save keep;
	int result;

	if (save_begin(&keep, fd, &l->view.head, err) < 0)
		return -1;
	result = live_copy_save(c, l, r->pid, &keep, err);
	save_end(&keep);
	return result;
}

static void warn_about_pending_mark(const struct live *l, pid_t pid)
{
	if (mu_request_is_mark(__atomic_load_n(&l->shared->request, __ATOMIC_RELAXED)))
		warn("process %d has been idle since its last mark, which is not set yet",
		     (int)pid);
}

/* A command that has just examined the process has its own results; other copies have those of
 * earlier ones. */
static void attach_findings(const struct remote *r, struct live_copy *c, struct asked_findings *f)
{
	const struct contact *from = &r->contact;

	*f = (struct asked_findings){ .holders = NULL };
	c->image.pages = r->pages;
	c->image.holders = r->holders;
	c->image.holder_count = (uint32_t)(r->holders[0] != NULL) + (r->holders[1] != NULL);
	memcpy(c->image.outside_check, r->check, sizeof(r->check));
	if (r->check[IMAGE_OUTSIDE_CHECKS - 1] || r->pages || r->holders[0])
		return;
	warn_about_quality(r, c);
	asked_findings_read(f, from->checks, from->holders,
			    (struct asked_image){ from->live.slot, from->live.generation });
	asked_findings_attach(f, &c->image);
}

/* Writes the recording of now to FD, which is empty. */
static int copy_recording(struct remote *r, int fd, bool needs_places)
{
	struct live *l = &r->contact.live;
	struct mu_error err;
	struct samples samples;
	struct live_copy c;
	int result = live_copy_take(&c, l, remote_samples_read(&samples, r->contact.samples, l),
				    &err);

	if (result < 0) {
		warn("process %d: %s", (int)r->pid, err.text);
	} else if (needs_places && !c.has_places) {
		warn("process %d: no call stacks are recorded, so the places are not known: start "
		     "it with --record, --top or --html",
		     (int)r->pid);
		result = -1;
	} else {
		struct asked_findings findings;

		attach_findings(r, &c, &findings);
		warn_about_pending_mark(l, r->pid);
		result = save_copy(r, &c, fd, &err);
		asked_findings_free(&findings);
		if (result < 0)
			warn("process %d: %s", (int)r->pid, err.text);
	}
	live_copy_free(&c);
	samples_free(&samples);
	return result;
}

static int open_temporary(void)
{
	int fd = temporary_open();

	if (fd < 0)
		warn("cannot create a temporary file: %m; set TMPDIR to a writable directory");
	return fd;
}

/* ---- the programs that make reports -------------------------------------------------------- */

static void execute_memusageprint(const struct remote *r, remote_report_form *append_form,
				  int recording)
{
	struct opt_list a = { .count = 0 };

	opt_list_append(&a, "memusageprint");
	remote_append_options(&a, r);
	if (r->settings->debuginfod)
		opt_list_append(&a, "--debuginfod");
	append_form(&a, r);
	opt_list_append(&a, "--");
	opt_list_append(&a, child_pass_file(recording));
	child_execute(&a, "");
}

static int print_text(const struct remote *r, remote_report_form *append_form, int recording)
{
	pid_t pid = child_fork("memusageprint");

	if (pid == 0)
		execute_memusageprint(r, append_form, recording);
	return child_finish(pid, "memusageprint", "its report");
}

static void execute_memusagestat(const struct remote *r, int recording)
{
	struct opt_list a = { .count = 0 };

	opt_list_append(&a, "memusagestat");
	opt_list_append(&a, xasprintf("--html=%s", child_pass_file(r->output_fd)));
	opt_list_append(&a, "--");
	opt_list_append(&a, child_pass_file(recording));
	child_execute(&a, "");
}

static int write_page(const struct remote *r, int recording)
{
	pid_t pid = child_fork("memusagestat");

	if (pid == 0)
		execute_memusagestat(r, recording);
	return child_finish(pid, "memusagestat", "its report");
}

/* ---- commands ------------------------------------------------------------------------------ */

/* Returns the descriptor of a nameless file with the recording, or -1 after a message. */
static int open_copy(struct remote *r, bool needs_places)
{
	int fd = open_temporary();

	if (fd < 0 || copy_recording(r, fd, needs_places) == 0)
		return fd;
	close(fd);
	return -1;
}

int remote_report_print_as(struct remote *r, remote_report_form *append_form)
{
	int fd = open_copy(r, true), result;

	if (fd < 0)
		return -1;
	result = print_text(r, append_form, fd);
	close(fd);
	return result;
}

static void append_command(struct opt_list *list, const struct remote *r)
{
	settings_append_place_options(list, r->settings);
	opt_list_append(list, r->operand ? xasprintf("--%s=%s", r->command->name, r->operand) :
					   xasprintf("--%s", r->command->name));
}

int remote_report_print(struct remote *r)
{
	return remote_report_print_as(r, append_command);
}

/* With the rights of another owner the output is there already, and its copy is made later. */
static int with_output(struct remote *r, int (*write)(struct remote *r))
{
	const bool is_own = r->output_fd < 0;
	int result;

	if (is_own && (r->output_fd = open_temporary()) < 0)
		return -1;
	result = write(r);
	if (is_own) {
		if (result == 0)
			result = remote_output_write(r);
		close(r->output_fd);
		r->output_fd = -1;
	}
	return result;
}

static int make_page(struct remote *r)
{
	int fd = open_copy(r, false), result;

	if (fd < 0)
		return -1;
	result = write_page(r, fd);
	close(fd);
	return result;
}

int remote_report_page(struct remote *r)
{
	return with_output(r, make_page);
}

static int make_recording(struct remote *r)
{
	return copy_recording(r, r->output_fd, false);
}

int remote_report_record(struct remote *r)
{
	return with_output(r, make_recording);
}

/* ---- the processes of a run ---------------------------------------------------------------- */

static bool is_same_run(const struct mu_segment *a, const struct mu_segment *b)
{
	return a->start_mono_ns == b->start_mono_ns && a->start_real_ns == b->start_real_ns &&
	       a->start_tsc == b->start_tsc;
}

/* A process that ends meanwhile is left out. */
static void add_slot(struct save *keep, struct live *l, int samples_fd, uint32_t k)
{
	struct asked_findings findings;
	struct samples samples;
	struct mu_error err;
	struct live_copy c;
	struct mu_slot slot;

	if (!segment_slot(&l->view, k, &slot) || slot.state != MU_SLOT_LIVE ||
	    live_select(l, k, slot.generation, &err) < 0)
		return;
	remote_findings_ask(&findings, l, (pid_t)slot.pid);
	if (live_copy_take(&c, l, remote_samples_read(&samples, samples_fd, l), &err) == 0) {
		asked_findings_attach(&findings, &c.image);
		live_copy_save(&c, l, (pid_t)slot.pid, keep, &err);
	}
	live_copy_free(&c);
	asked_findings_free(&findings);
	samples_free(&samples);
}

static void add_arena(struct save *keep, struct remote *r)
{
	struct live *l = &r->contact.live;
	const uint32_t count = l->view.head.slot_count;

	for (uint32_t k = 0; k < count; k++)
		add_slot(keep, l, r->contact.samples, k);
}

int remote_report_add_running(struct remote *r)
{
	const struct mu_segment *run = &r->contact.live.view.head;
	struct save keep;
	int fd;

	/* Memory without a collector is no answer. */
	if (r->contact.answer.collector == 0)
		return -1;
	fd = open(r->operand, O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -1;
	if (!save_resume(&keep, fd, run) || !is_same_run(&keep.head, run)) {
		close(fd);
		return -1;
	}
	/* Processes of another user, or without a log, are in another arena of the run. */
	do
		add_arena(&keep, r);
	while (contact_open_next(&r->contact, r->pid, r->command->flags) == CONTACT_OK);
	save_end(&keep);
	return close(fd);
}
