/* image_end.c -- How the process of an image ended, in words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/image_end.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

struct image_end image_end_of(const struct mu_image *head)
{
	struct image_end end = { head->end, head->end_status,
				 (head->notes & MU_NOTE_ATTACHED) != 0 };

	if (head->end > MU_END_RUNNING)
		end.how = MU_END_UNKNOWN;
	if (end.how == MU_END_UNKNOWN && head->process.exit == MU_EXIT_NORMAL)
		return (struct image_end){ MU_END_EXIT, MU_END_STATUS_UNKNOWN, end.is_attached };
	if (end.how == MU_END_UNKNOWN || end.how == MU_END_EXEC || end.how == MU_END_RUNNING)
		end.status = MU_END_STATUS_UNKNOWN;
	return end;
}

bool image_end_has_status(struct image_end end)
{
	return end.status != MU_END_STATUS_UNKNOWN;
}

bool image_end_is_success(struct image_end end)
{
	const bool is_exit = end.how == MU_END_EXIT ||
			     (end.how == MU_END_STATUS && end.is_attached);

	return is_exit && (end.status == 0 || !image_end_has_status(end));
}

/* libc has such names only since glibc 2.32. */
static const char *signal_name(uint32_t number)
{
	static const struct {
		uint32_t number;
		const char *name;
	} names[] = {
		{ SIGHUP, "SIGHUP" }, { SIGINT, "SIGINT" }, { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" }, { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" }, { SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" }, { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" }, { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
		{ SIGVTALRM, "SIGVTALRM" }, { SIGPROF, "SIGPROF" }, { SIGXCPU, "SIGXCPU" },
		{ SIGXFSZ, "SIGXFSZ" }, { SIGPOLL, "SIGPOLL" }, { SIGSYS, "SIGSYS" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].number == number)
			return names[i].name;
	return NULL;
}

/* Writes a phrase with the status, or the one for a status that is not known. */
static void put_status(char text[IMAGE_END_TEXT], const char *before, struct image_end end,
		       const char *behind, const char *unknown)
{
	if (image_end_has_status(end))
		snprintf(text, IMAGE_END_TEXT, "%s %" PRIu32 "%s", before, end.status, behind);
	else
		snprintf(text, IMAGE_END_TEXT, "%s", unknown);
}

const char *image_end_text(struct image_end end, char text[IMAGE_END_TEXT])
{
	const char *name = end.how == MU_END_SIGNAL ? signal_name(end.status) : NULL;

	switch (end.how) {
	case MU_END_EXIT:
		put_status(text, "exit status", end, "", "exited, status not known");
		break;
	case MU_END_IMMEDIATE:
		put_status(text, "_exit, status", end, "", "_exit, status not known");
		break;
	case MU_END_STATUS:
		put_status(text, "exit status", end,
			   end.is_attached ? "" : " without exit handlers",
			   end.is_attached ? "exited" : "exited without exit handlers");
		break;
	case MU_END_SIGNAL:
		if (name)
			snprintf(text, IMAGE_END_TEXT, "killed by %s", name);
		else
			put_status(text, "killed by signal", end, "", "killed by a signal");
		break;
	case MU_END_EXEC:
		snprintf(text, IMAGE_END_TEXT, "executed another program");
		break;
	case MU_END_RUNNING:
		snprintf(text, IMAGE_END_TEXT, "still running");
		break;
	default:
		snprintf(text, IMAGE_END_TEXT,
			 "killed, or ended without exit and _exit");
	}
	return text;
}

const char *image_end_word(struct image_end end)
{
	static const char *const words[] = { "unknown", "exit", "_exit", "status", "signal",
					     "exec", "running" };

	return words[end.how];
}

uint64_t image_duration_ns(const struct image *im)
{
	const struct mu_process *p = &im->head.process;
	uint64_t count = image_count(im, MU_SEC_SNAPSHOTS), end = p->exit_mono_ns;
	struct mu_snapshot s;

	for (uint64_t i = 0; i < count && image_snapshot(im, i, &s); i++) {
		if (s.mono_ns > end)
			end = s.mono_ns;
	}
	return end > p->start_mono_ns ? end - p->start_mono_ns : 0;
}
