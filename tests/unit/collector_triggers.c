/* collector_triggers.c -- --snapshot-signal and --snapshot-when: what is accepted, and as what.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/triggers.h"

#include <signal.h>

#include "tests/lib/tap.h"

static void signals(void)
{
	static const struct {
		const char *text;
		int number;
	} c[] = { { "USR1", SIGUSR1 }, { "SIGUSR2", SIGUSR2 }, { "usr2", SIGUSR2 }, { "10", 10 },
		  { "sigHup", SIGHUP }, { "1", SIGHUP }, { "QUIT", SIGQUIT }, { "IO", SIGIO },
		  { "POLL", SIGIO }, { "PWR", SIGPWR }, { "WINCH", SIGWINCH }, { "URG", SIGURG },
		  { "34", 34 }, { "64", 64 }, { "12", SIGUSR2 } };
	static const char *const wrong[] = {
		"", "SIG", "KILL", "9", "SIGSTOP", "SEGV", "11", "TERM", "15", "INT", "2", "CHLD",
		"PROF", "27", "PIPE", "ALRM", "CONT", "0", "32", "33", "65", "-12", "12 ", "USR3",
		"RTMIN+", "RTMIN-1", "RTMAX+1", "RTMIN+31", "RTMIN+x", "RTMIN+18446744073709551616",
	};
	struct trigger_settings t;

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		triggers_reset(&t);
		OK(!triggers_signal(NULL, c[i].text, &t), "%s", c[i].text);
		EQ_U(t.signal, c[i].number);
		OK(triggers_wanted(&t), "and wanted");
	}
	triggers_reset(&t);
	OK(!triggers_signal(NULL, "RTMIN+2", &t) && t.signal == SIGRTMIN + 2, "RTMIN+2");
	OK(!triggers_signal(NULL, "SIGRTMAX-3", &t) && t.signal == SIGRTMAX - 3, "RTMAX-3");
	OK(!triggers_signal(NULL, "RTMAX", &t) && t.signal == SIGRTMAX, "RTMAX");
	triggers_reset(&t);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		OK(triggers_signal(NULL, wrong[i], &t) != NULL, "'%s' is refused", wrong[i]);
	OK(!triggers_wanted(&t), "nothing is wanted");
}

static void conditions(void)
{
	static const struct {
		const char *text;
		enum mu_watch kind;
		uint64_t threshold;
	} c[] = { { "heap>500M", MU_WATCH_HEAP, UINT64_C(500) << 20 },
		  { "heap:0", MU_WATCH_HEAP, 0 },
		  { "total>1k", MU_WATCH_TOTAL, 1024 },
		  { "stacks>64KiB", MU_WATCH_STACKS, 65536 },
		  { "rss:2G", MU_WATCH_RSS, UINT64_C(2) << 30 },
		  { "blocks>1k", MU_WATCH_BLOCKS, 1000 },
		  { "blocks:20M", MU_WATCH_BLOCKS, 20000000 },
		  { "blocks>77", MU_WATCH_BLOCKS, 77 },
		  { "blocks>3G", MU_WATCH_BLOCKS, UINT64_C(3000000000) },
		  { "cgroup>90%", MU_WATCH_CGROUP, 90 },
		  { "cgroup:1%", MU_WATCH_CGROUP, 1 },
		  { "heap>1152921504606846975", MU_WATCH_HEAP, (UINT64_C(1) << 60) - 1 } };
	static const char *const wrong[] = {
		"cgroup>90", "cgroup>100%", "cgroup>0%", "cgroup>%", "cgroup>9M%", "cgroup", "heap>5%",
		"", "heap", "heap>", ">5", ":", "HEAP>5", "heap >5", "heap> 5", "heap>5 ", "heap>-1",
		"heap>+1", "heap>1.5", "heap>5%", "heap>=5", "heaps>5", "heap<5", "blocks>5KiB",
		"blocks>k", "blocks>5kk", "blocks>99999999999999G", "heap>1152921504606846976",
		"heap>99999999999999999999", "peak>5",
	};
	struct trigger_settings t;

	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		triggers_reset(&t);
		OK(!triggers_when(NULL, c[i].text, &t), "%s", c[i].text);
		EQ_U(t.count, 1);
		EQ_U(MU_WATCH_KIND(t.watch[0]), c[i].kind);
		EQ_U(MU_WATCH_THRESHOLD(t.watch[0]), c[i].threshold);
		OK(triggers_watches(&t, c[i].kind), "it is watched");
	}
	triggers_reset(&t);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		OK(triggers_when(NULL, wrong[i], &t) != NULL, "'%s' is refused", wrong[i]);
	EQ_U(t.count, 0);
	for (unsigned int i = 0; i < MU_WATCHES; i++)
		OK(!triggers_when(NULL, "heap>5", &t), "number %u", i);
	OK(triggers_when(NULL, "heap>5", &t) != NULL, "one too many");
}

int main(void)
{
	signals();
	conditions();
	return done_testing();
}
