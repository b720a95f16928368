/* recording_file.c -- Opens a recording, also one that is still being written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/recording_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/running.h"

int recording_file_open(struct segment *s, const char *file, struct mu_error *err)
{
	int fd, copy, result = segment_open(s, file, err);

	if (result < 0 || !segment_is_being_written(s))
		return result;
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	copy = fd < 0 ? -1 : running_copy("memusagestat", fd, file, (pid_t)s->head.writer,
					  segment_file_is_complete);
	if (copy >= 0) {
		segment_close(s);
		result = segment_open_fd(s, copy, err);
		close(copy);
	}
	if (fd >= 0)
		close(fd);
	return result;
}
