/* collector_samples.c -- a timeline is bounded, however long the run, and keeps its peaks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/samples.h"

#include "memusage/common/procmem.h"
#include "profile/read/timeline.h"
#include "tests/lib/tap.h"

#include <sys/wait.h>
#include <unistd.h>

/* A ramp with one peak at PEAK, and whether it is still there after LOOKS. */
static void check_ramp(uint64_t looks, uint64_t peak)
{
	struct samples s = { .item = NULL };
	bool has_peak = false, is_sorted = true;

	for (uint64_t i = 0; i < looks; i++) {
		struct mu_sample look = { .mono_ns = i, .rss_anon = i == peak ? 1 << 30 : i };

		samples_add(&s, &look);
	}
	for (uint32_t i = 0; i < s.count; i++) {
		has_peak |= s.item[i].mono_ns == peak && s.item[i].rss_anon == 1 << 30;
		is_sorted &= i == 0 || s.item[i - 1].mono_ns < s.item[i].mono_ns;
	}
	OK(has_peak, "the peak at %llu of %llu is kept", (unsigned long long)peak,
	   (unsigned long long)looks);
	OK(is_sorted, "in order");
	OK(s.count <= SAMPLES_MAX && (looks < SAMPLES_MAX || s.count >= SAMPLES_MAX / 2),
	   "%u samples", s.count);
	EQ_U(s.item[0].mono_ns, 0);
	EQ_U(s.item[s.count - 1].mono_ns + 1 >= looks, 1);
	samples_free(&s);
	samples_free(&s);
}

static void looks_at_processes(void)
{
	struct procmem m;
	int fd = procmem_open(getpid());
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	IS_TRUE(procmem_read(fd, &m));
	OK(m.rss_anon > 0 && m.rss_file > 0 && m.rss_peak >= m.rss_anon && m.threads == 1,
	   "what the kernel says of us");
	close(fd);
	fd = procmem_open(child);
	IS_TRUE(fd >= 0);
	IS_TRUE(waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT) == 0);
	IS_FALSE(procmem_read(fd, &m));	/* a zombie has no memory */
	waitpid(child, NULL, 0);
	IS_FALSE(procmem_read(fd, &m));
	close(fd);
}

int main(void)
{
	static const uint64_t looks[] = { 1, 2, 1023, 1024, 1025, 1026, 2047, 5000, 100001 };

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		check_ramp(looks[i], looks[i] / 2);
		check_ramp(looks[i], looks[i] - 1);
	}
	looks_at_processes();
	return done_testing();
}
