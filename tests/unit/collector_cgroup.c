/* collector_cgroup.c -- the memory limits of control groups: which are found, and which is tightest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/cgroup.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		perror(name);
}

/* The working directory as /proc/self/mountinfo names one: a blank is \040. */
static const char *escaped_directory(char text[512])
{
	char here[256], *to = text;

	if (!getcwd(here, sizeof(here)))
		perror("getcwd");
	for (const char *c = here; *c && to < text + 500; c++) {
		if (*c == ' ')
			to = stpcpy(to, "\\040");
		else
			*to++ = *c;
	}
	*to = '\0';
	return text;
}

static void second_version(void)
{
	char mounts[1024], here[512];
	struct cgroup_use use;
	struct cgroup c;

	mkdir("two", 0777), mkdir("two/outer", 0777), mkdir("two/outer/inner", 0777);
	put("two/outer/memory.max", "1000\n");
	put("two/outer/memory.current", "800\n");
	put("two/outer/memory.stat", "anon 5\ninactive_anon 1\ninactive_file 100\nfile 7\n");
	put("two/outer/inner/memory.max", "2000\n");
	put("two/outer/inner/memory.current", "700\n");
	put("two/outer/inner/memory.stat", "inactive_file 0\n");
	snprintf(mounts, sizeof(mounts),
		 "20 1 8:1 / / rw - ext4 /dev/sda rw\n"
		 "30 20 0:26 / %s/two rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
		 escaped_directory(here));
	OK(cgroup_open_texts(&c, "1:name=systemd:/x\n0::/outer/inner\n", mounts), "version 2");
	EQ_U(c.count, 2);
	OK(cgroup_read(&c, 50, 0, &use), "its use");
	EQ_U(use.limit, 1000);
	EQ_U(use.used, 700);
	EQ_U(use.percent, 70);
	OK(cgroup_read(&c, 90, 0, &use) && use.used == 800, "below the threshold without statistics");
	OK(cgroup_read(&c, 50, 750, &use) && use.used == 750, "old statistics");
	OK(cgroup_read(&c, 50, 5000, &use) && use.used == 800, "... of processes in other groups");
	put("two/outer/memory.max", "max\n");
	OK(cgroup_read(&c, 50, 0, &use) && use.limit == 2000 && use.percent == 35,
	   "a limit that is lifted");
	put("two/outer/inner/memory.max", "500\n");
	OK(cgroup_read(&c, 50, 0, &use) && use.percent == 140, "one that is lowered");
	put("two/outer/inner/memory.max", "0\n");
	OK(cgroup_read(&c, 50, 0, &use) && use.percent == 100, "one of nothing");
	put("two/outer/inner/memory.max", "max\n");
	OK(!cgroup_read(&c, 50, 0, &use), "none is left");
	cgroup_close(&c);
	OK(!cgroup_open_texts(&c, "0::/outer/inner\n", mounts), "no limit at the start");
	OK(!cgroup_read(&c, 0, 0, &use), "... is no use");
	cgroup_close(&c);
}

/* In a container the mount shows only a part of the tree, which may be the group itself. */
static void first_version(void)
{
	char mounts[1024], here[512];
	struct cgroup_use use;
	struct cgroup c;

	mkdir("one", 0777), mkdir("one/job", 0777);
	put("one/memory.limit_in_bytes", "9223372036854771712\n");
	put("one/memory.usage_in_bytes", "999\n");
	put("one/job/memory.limit_in_bytes", "1000\n");
	put("one/job/memory.usage_in_bytes", "950\n");
	put("one/job/memory.stat", "inactive_file 3\ntotal_inactive_file 50\n");
	snprintf(mounts, sizeof(mounts),
		 "31 20 0:27 / /nowhere rw - cgroup cgroup rw,cpu,cpuacct\n"
		 "32 20 0:28 /docker/1 %s/one rw - cgroup cgroup rw,memory\n",
		 escaped_directory(here));
	OK(cgroup_open_texts(&c, "5:cpu,cpuacct:/\n4:memory:/docker/1/job\n0::/y\n", mounts),
	   "version 1, in a container");
	EQ_U(c.count, 1);
	OK(cgroup_read(&c, 1, 0, &use) && use.used == 900 && use.percent == 90, "its use");
	cgroup_close(&c);
	put("one/memory.limit_in_bytes", "2000\n");
	OK(cgroup_open_texts(&c, "4:memory:/elsewhere\n", mounts) && c.count == 1,
	   "a group outside of what is mounted counts as that");
	cgroup_close(&c);
}

static void odd_texts(void)
{
	static const char *const groups[] = { "", "\n", "0::", "4:memory", "4:memory:", "x",
					      ":::\n:::", "0::/../..", "4:memoryx:/a\n" };
	static const char *const mounts[] = { "", "\n", " - cgroup2 ", "1 2 3 / /tmp - cgroup2 x y",
					      "1 2 3 / /tmp rw - cgroup x memory", "- \n - \n" };
	struct cgroup c;

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		for (size_t k = 0; k < sizeof(mounts) / sizeof(*mounts); k++) {
			OK(!cgroup_open_texts(&c, groups[i], mounts[k]), "%zu, %zu", i, k);
			cgroup_close(&c);
		}
}

int main(void)
{
	scratch();
	second_version();
	first_version();
	odd_texts();
	return done_testing();
}
