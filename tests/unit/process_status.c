/* process_status.c -- /proc/PID/status is read to its end, however many groups there are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/process.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/tap.h"



/* Returns a descriptor of a status with so many groups. */
static int make_status(unsigned int groups, const char *end)
{
	int fd = memfd_create("status", 0);
	FILE *out = fdopen(dup(fd), "w");

	fputs("Name:\tGroups: a\nState:\tS (sleeping)\nGroups:\t", out);
	for (unsigned int i = 0; i < groups; i++)
		fprintf(out, "%u ", 2000000000u + i);
	fprintf(out, "\nNSpid:\t4711\t12\nSeccomp:\t2%s", end);
	fclose(out);
	return fd;
}

int main(void)
{
	static const unsigned int counts[] = { 0, 1, 370, 371, 372, 373, 374, 1000, 65536 };
	const char *want = "Name:\tGroups: a\nState:\tS (sleeping)\nNSpid:\t4711\t12\nSeccomp:\t2";
	char text[4096], whole[200];

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		int fd = make_status(counts[i], "\n");

		process_read_status(fd, text, sizeof(text));
		snprintf(whole, sizeof(whole), "%s\n", want);
		OK(strcmp(text, whole) == 0, "%u groups", counts[i]);
		close(fd);
		fd = make_status(counts[i], "");
		process_read_status(fd, text, sizeof(text));
		OK(strcmp(text, want) == 0, "... and no end of the last line");
		process_read_status(fd, text, 20);
		OK(strlen(text) == 19 && strncmp(text, want, 19) == 0, "... and little room");
		close(fd);
	}
	process_read_status(-1, text, sizeof(text));
	OK(*text == '\0', "nothing of what cannot be read");
	process_read_file(getpid(), "status", text, sizeof(text));
	OK(strstr(text, "\nSeccomp:") && !strstr(text, "\nGroups:"), "that of this process");
	return done_testing();
}
