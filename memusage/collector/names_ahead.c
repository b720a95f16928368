/* names_ahead.c -- Have names looked up while the program runs, for the reports after its end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/names_ahead.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memusage/common/child.h"
#include "memusage/common/clock.h"
#include "memusage/common/file_events.h"
#include "memusage/report/reports.h"

#define FIRST_NS UINT64_C(100000000)	/* most programs have ended by then, and need no names */
#define POLL_NS UINT64_C(20000000)	/* of a helper without a pidfd */

/* A run that has become so much longer may have met new places. */
enum { GROWTH = 4, REST = 9 };

static bool has_any_use(const struct names_ahead *n, const struct tree *t)
{
	return !n->is_useless && settings_has_reports(t->s->settings) &&
	       !t->s->settings->no_names_cache;
}

static uint64_t count_frames(const struct tree *t)
{
	const struct arena *a = &t->arena[0]->arena;
	uint64_t count = 0;
	struct image im;

	for (uint32_t k = 0; k < a->view.head.slot_count; k++)
		if (arena_state(a, k) == MU_SLOT_LIVE && arena_image(a, k, &im))
			count += image_count(&im, MU_SEC_FRAMES);
	return count;
}

static void start_helper(struct names_ahead *n, struct tree *t)
{

	n->helper = reports_look_ahead(t->s, t->arena[0]->arena.fd);
	if (n->helper < 0) {
		n->helper = 0;
		n->is_useless = true;
		return;
	}
	n->pidfd = file_events_add_process(n->helper);
}

static void forget_helper(struct names_ahead *n)
{
	n->helper = 0;
	file_events_close(n->pidfd);
}

/* Sets when the next helper may start, after NOW. */
static void rest_until_growth(struct names_ahead *n, uint64_t now, uint64_t used_ns)
{
	uint64_t growth = (now - n->first_ns) / GROWTH;

	n->due_ns = now + (growth > REST * used_ns ? growth : REST * used_ns);
}

static void reap_helper(struct names_ahead *n, uint64_t now)
{
	int status;

	if (waitpid(n->helper, &status, WNOHANG) != n->helper)
		return;
	forget_helper(n);
	n->is_useless |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	rest_until_growth(n, now, now - n->began_ns);
}

static int milliseconds_until(uint64_t due_ns, uint64_t now)
{
	uint64_t ms = due_ns > now ? (due_ns - now) / 1000000 + 1 : 0;

	return ms < 3600000 ? (int)ms : 3600000;
}

int names_ahead_advance(struct names_ahead *n, struct tree *t)
{
	uint64_t now, frames;

	if (!has_any_use(n, t) || t->root == 0)
		return -1;
	now = clock_now(CLOCK_MONOTONIC);
	if (n->first_ns == 0) {
		n->first_ns = now;
		n->due_ns = now + FIRST_NS;
	}
	if (n->helper)
		reap_helper(n, now);
	if (n->helper)
		return n->pidfd < 0 ? milliseconds_until(now + POLL_NS, now) : -1;
	if (now < n->due_ns)
		return milliseconds_until(n->due_ns, now);
	frames = count_frames(t);
	if (frames == n->frames) {
		rest_until_growth(n, now, 0);
		return milliseconds_until(n->due_ns, now);
	}
	n->frames = frames;
	n->began_ns = now;
	start_helper(n, t);
	return n->helper && n->pidfd < 0 ? milliseconds_until(now + POLL_NS, now) : -1;
}

void names_ahead_stop(struct names_ahead *n)
{
	n->is_useless = true;
	if (!n->helper)
		return;
	kill(n->helper, SIGKILL);
	child_wait(n->helper);
	forget_helper(n);
}
