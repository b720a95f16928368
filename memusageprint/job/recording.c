/* recording.c -- An open recording, and the images in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/recording.h"

#include <unistd.h>

#include "cli/message.h"

int recording_open(struct recording *r, const struct input *in, const char *file)
{
	struct mu_error err;

	*r = (struct recording){ .name = in->name };
	if (in->fd == STDIN_FILENO)
		file = "/dev/stdin";
	if (segment_open(&r->segment, file, &err) == 0)
		return 0;
	warn("%s: %s", r->name, err.text);
	return -1;
}

void recording_close(struct recording *r)
{
	segment_close(&r->segment);
}

uint32_t recording_find(const struct recording *r, pid_t wanted)
{
	return pick_process(&r->segment, wanted);
}

uint32_t recording_main(const struct recording *r)
{
	return pick_main(&r->segment);
}
