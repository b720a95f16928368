/* main.c -- memusage: run a program and report its memory usage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/common/program.h"
#include "memusage/launcher/attached_run.h"
#include "memusage/launcher/finish.h"
#include "memusage/launcher/inherited_files.h"
#include "memusage/launcher/launcher.h"
#include "memusage/launcher/runs.h"
#include "memusage/options/command_line.h"
#include "memusage/remote/remote.h"

/* If memusage is started without standard files, the first files that it opens would get their
 * numbers, and messages for the user would go into them. The program gets the standard files
 * closed, as memusage did. */
static void fill_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct settings *settings;

	message_init("memusage", STATUS_FAILED);
	fill_standard_files();
	inherited_files_note(argv);
	settings = command_line_parse(argc, argv);
	if (settings->pid)
		return remote_run(settings);
	if (settings->detach)
		return attached_run_detach(settings);
	if (settings->gate.runs > 0)
		return runs_run(settings);
	return settings->finish ? finish_run(settings) : launcher_run(settings);
}
