/* not_examined.c -- Why a process has no result of an examination.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/not_examined.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/message.h"
#include "profile/read/image_end.h"
#include "profile/read/leak_checks.h"

enum { REASON_TEXT = IMAGE_END_TEXT + 32, NAMED_FORKS = 5 };

static const struct {
	uint32_t flag; /* with which a run examines its process at the end */
	const char *what, *option, *command;
} kinds[] = {
	[EXAMINED_LEAKS] = { MU_CFG_LEAKS, "no leak check was made", "--leak-check=full",
			     "leak_check" },
	[EXAMINED_PAGES] = { MU_CFG_FRAGMENTATION, "its pages were not examined",
			     "--fragmentation", "pages" },
	[EXAMINED_HOLDERS] = { MU_CFG_HOLDERS, "what holds its blocks was not examined",
			       "--holders", "holders" },
};

/* Returns NULL if the process ended in a way in which it could be examined. */
static const char *reason_of_end(const struct mu_image *head, char text[REASON_TEXT])
{
	const struct image_end end = image_end_of(head);
	char how[IMAGE_END_TEXT];

	switch (end.how) {
	case MU_END_SIGNAL:
		snprintf(text, REASON_TEXT, "it was %s", image_end_text(end, how));
		return text;
	case MU_END_STATUS:
		return "it ended by neither exit nor _exit";
	case MU_END_EXEC:
		return "it executed another program";
	case MU_END_UNKNOWN:
		return "it was killed, or ended by neither exit nor _exit";
	default:
		return NULL;
	}
}

static const char *reason(const struct report_subject *s, enum examination_kind kind,
			  char text[REASON_TEXT])
{
	const char *why = reason_of_end(&s->image.head, text);
	const uint32_t flags = s->recording->segment.head.config.flags;

	if (!why && s->image.head.process.fork_mono_ns != 0 &&
	    !(kind == EXAMINED_LEAKS && flags & MU_CFG_LEAK_FORKS))
		why = "it is a forked child";
	return why;
}

void not_examined_warn(const struct report_subject *s, enum examination_kind kind)
{
	const uint32_t flags = s->recording->segment.head.config.flags;
	char text[REASON_TEXT];
	const char *why = reason(s, kind, text);

	if (!(flags & kinds[kind].flag))
		warn("process %d: %s: that is done by memusage %s, and by memusage --pid=PID %s",
		     (int)s->pid, kinds[kind].what, kinds[kind].option, kinds[kind].command);
	else if (s->image.head.end == MU_END_RUNNING)
		warn("process %d: %s: it was running when the recording was made or ended; ask "
		     "while it runs, memusage --pid=PID %s",
		     (int)s->pid, kinds[kind].what, kinds[kind].command);
	else if (why)
		warn("process %d: %s, because %s: ask while it runs, memusage --pid=PID %s",
		     (int)s->pid, kinds[kind].what, why, kinds[kind].command);
	else
		warn("process %d: %s when it ended. memusage has said why; if it has not, the "
		     "process was in a sandbox: ask while it runs, memusage --pid=PID %s",
		     (int)s->pid, kinds[kind].what, kinds[kind].command);
}

/* ---- forked children ---------------------------------------------------------------------- */

void not_examined_forks(const struct recording *r)
{
	unsigned int count = 0;

	if (!(r->segment.head.config.flags & MU_CFG_LEAK_FORKS))
		return;
	for (uint32_t k = 0; k < r->segment.head.slot_count; k++) {
		char text[REASON_TEXT];
		struct mu_slot entry;
		struct image im;
		const char *why;

		if (!segment_slot(&r->segment, k, &entry) ||
		    segment_image(&r->segment, k, &im, NULL) < 0 ||
		    im.head.process.fork_mono_ns == 0 || leak_checks_at_end(&im))
			continue;
		why = reason_of_end(&im.head, text);
		if (why && count++ < NAMED_FORKS)
			warn("process %" PRIu32 ": no leak check was made, because %s",
			     entry.pid ? entry.pid : im.head.process.pid, why);
	}
	if (count > NAMED_FORKS)
		warn("no leak check was made of %u more forked children", count - NAMED_FORKS);
}
