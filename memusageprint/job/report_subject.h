/* report_subject.h -- one process image of a recording, ready to be reported on.
 *
 *	struct recording r;
 *	struct subject s;
 *
 *	if (recording_open(&r, in) == 0 && subject_open(&s, &r, recording_main(&r), settings) == 0)
 *		...;
 *	subject_close(&s);
 *	recording_close(&r);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_JOB_REPORT_SUBJECT_H
#define MEMUSAGEPRINT_JOB_REPORT_SUBJECT_H

#include <stdint.h>
#include <sys/types.h>

#include "memusageprint/job/input.h"
#include "memusageprint/job/settings.h"
#include "profile/model/filter.h"
#include "profile/model/profile.h"
#include "profile/read/pick.h"
#include "profile/read/segment.h"

struct recording {
	struct segment segment;
	const char *name;	/* for messages */
};

/* A number that is no slot of a recording. */
#define RECORDING_NONE PICK_NONE

struct subject {
	const struct recording *recording;
	uint32_t slot;
	pid_t pid;		/* as the collector saw it */
	struct image image;
	struct profile profile;
	struct filter filter;	/* without a limit of depth */
	struct weight *weight;	/* one per site; for sites_weigh() */
};

/* recording_open -- map it. Returns 0, or -1 after a warning. */
int recording_open(struct recording *r, const struct input *in, const char *file);

/* recording_close -- release it. */
void recording_close(struct recording *r);

/* recording_main -- the slot of the process that was started: of the first one recorded, its last
 * image. RECORDING_NONE if there is no image that can be read. */
uint32_t recording_main(const struct recording *r);

/* recording_find -- the slot of the last image of a process, or RECORDING_NONE. */
uint32_t recording_find(const struct recording *r, pid_t pid);

/* subject_open -- load an image, name its addresses, and prepare the filter.
 *
 * s  overwritten; subject_close() it in any case.
 * Returns 0, or -1 after a warning.
 */
int subject_open(struct subject *s, const struct recording *r, uint32_t slot,
		 const struct settings *settings);

/* subject_close -- release everything. Fine for a zeroed struct. */
void subject_close(struct subject *s);

/* subject_weigh -- the metric of every site, into s->weight.
 *
 * snapshot  as for sites_weigh(). Returns 0, or -1 after a warning: there is no such snapshot, or
 *           it does not know its places.
 */
int subject_weigh(struct subject *s, enum metric_kind kind, int snapshot);

/* subject_command -- the command line, joined by blanks; to be freed. */
char *subject_command(const struct subject *s);

#endif
