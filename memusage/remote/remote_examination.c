/* remote_examination.c -- The commands of memusage --pid that examine the process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_examination.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/attach/earlier_list.h"
#include "memusage/common/fd_passing.h"
#include "memusage/examine/leak_check.h"
#include "memusage/examine/pages_check.h"
#include "memusage/examine/pointer_search.h"
#include "memusage/holders/holders_check.h"
#include "memusage/remote/privsep.h"
#include "memusage/trace/tracee_refusal.h"

/* A minute, since what others have asked for may take long. */
enum { BUSY_TRIES = 600, BUSY_NS = 100000000 };

const char *remote_examination_find_missing(const struct remote *r)
{
	const uint32_t flags = r->contact.live.view.head.config.flags;

	if (flags & MU_CFG_SAMPLE)
		return "only samples of its blocks are recorded: start it without --sample";
	if (flags & MU_CFG_START_PAUSED)
		return "it was started paused, so that older blocks are not known";
	if (flags & (MU_CFG_PAGES | MU_CFG_COPIES | MU_CFG_AD_HOC))
		return "its blocks are not recorded (--pages-as-heap or --mode)";
	return NULL;
}

static void set_options(struct control_examination *x, const struct examination *e,
			const void *options)
{
	if (e == &leak_check) {
		const struct leak_check_options *o = options;

		x->subject = o->lists_blocks ? CONTROL_BLOCKS : CONTROL_LEAKS;
		x->heuristics = o->heuristics;
	} else if (e == &pointer_search) {
		const struct pointer_search_options *o = options;

		x->subject = CONTROL_POINTERS;
		x->start = o->start;
		x->size = o->size;
	} else {
		x->subject = e == &pages_check ? CONTROL_PAGES : CONTROL_HELD;
	}
}

static void explain_status(enum control_status status, struct mu_error *err)
{
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s",
		     status == CONTROL_BUSY ?
			     "its collector examines it, or others, at their ends perhaps, or for "
			     "other clients: ask again" :
			     "it has ended, or executes another program");
}

/* The answer is an enum control_status, with the file if there is one. */
void remote_examination_answer(void *data, int connection)
{
	const struct remote *r = data;
	enum control_status status = CONTROL_DENIED;
	struct control_examination x;
	struct contact c = CONTACT_CLOSED;
	int file, further;

	if (fd_passing_receive(connection, &x, sizeof(x), &further) != sizeof(x)) {
		shutdown(connection, SHUT_RDWR);
		return;
	}
	if (further >= 0)
		close(further);
	file = contact_query(&c, r->pid, 0) == CONTACT_OK ?
		       contact_ask_examination(&c, r->pid, &x, &status) : -1;
	contact_close(&c);
	fd_passing_send(connection, &status, sizeof(status), file, MSG_DONTWAIT);
	if (file >= 0)
		close(file);
}

/* A collector of root's answers only root. Its child examines as root, which the owner's rights may
 * not allow: the process has changed its user since its last exec. */
static int ask_by_parent(const struct control_examination *x, enum control_status *status)
{
	struct pollfd wait = { .fd = privsep_connection(), .events = POLLIN };
	enum control_status answer;
	int file = -1;

	*status = CONTROL_DENIED;
	if (fd_passing_send(wait.fd, x, sizeof(*x), -1, 0) < 0)
		return -1;
	while (poll(&wait, 1, -1) < 0 && errno == EINTR)
		;
	if (fd_passing_receive(wait.fd, &answer, sizeof(answer), &file) == sizeof(answer))
		*status = answer;
	return file;
}

static int ask_once(const struct remote *r, struct control_examination *x,
		    enum control_status *status)
{
	return r->owner ? ask_by_parent(x, status) :
			  contact_ask_examination(&r->contact, r->pid, x, status);
}

/* A child of the collector may be allowed what we are not. Returns false with ERR as it was if
 * there is none that examines: the collector lacks that, or the process is recorded without one. */
static bool ask_collector(const struct remote *r, const struct examination *e,
			  const void *options, void **result, struct mu_error *err)
{
	struct control_examination x = { .snapshot = r->settings->leak_check.snapshot };
	const struct timespec pause = { 0, BUSY_NS };
	enum control_status status;
	int fd;

	set_options(&x, e, options);
	fd = ask_once(r, &x, &status);
	for (int i = 0; status == CONTROL_BUSY && i < BUSY_TRIES; i++) {
		nanosleep(&pause, NULL);
		fd = ask_once(r, &x, &status);
	}
	if (fd < 0 && status == CONTROL_DENIED)
		return false;
	*result = NULL;
	if (fd < 0) {
		explain_status(status, err);
		return true;
	}
	*result = examination_read(e, fd, err);
	close(fd);
	return true;
}

/* Where Yama would refuse us, each try of ours would be a line in the kernel's log. */
static void *examine(const struct remote *r, const struct examination *e, const void *options,
		     struct mu_error *err)
{
	const struct examined_process p = {
		&r->contact.live, r->pid, (enum snapshot_kind)r->settings->leak_check.snapshot,
		earlier_list_add, NULL
	};
	const bool is_collector_first = tracee_refusal_scope() == TRACEE_REFUSAL_DESCENDANTS;
	void *result;

	if (is_collector_first && ask_collector(r, e, options, &result, err))
		return result;
	result = examination_run(e, &p, options, err);
	if (!result && err->code == MU_ERROR_DENIED && !is_collector_first)
		ask_collector(r, e, options, &result, err);
	return result;
}

void *remote_examination_run(const struct remote *r, const struct examination *e,
			     const char *why_not, const void *options)
{
	struct mu_error err;
	void *result = why_not ? NULL : examine(r, e, options, &err);

	if (!result)
		warn("process %d: %s", (int)r->pid, why_not ? why_not : err.text);
	return result;
}
