/* imagefiles.c -- reports that are files, one for each process image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/imagefiles.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/xmalloc.h"

static bool has_pid(const char *pattern)
{
	for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += at[1] ? 2 : 1) {
		if (at[1] == 'p')
			return true;
	}
	return false;
}

/* How many images of the same process follow an image. */
static unsigned int followers(const struct recording *r, uint32_t slot, pid_t pid)
{
	unsigned int count = 0;
	struct mu_slot entry;

	for (uint32_t k = slot + 1; k < r->segment.head.slot_count; k++)
		count += segment_slot(&r->segment, k, &entry) && (pid_t)entry.pid == pid;
	return count;
}

/* No image takes the file of another. NULL after a warning. */
static char *file_name(const struct subject *s, const struct settings *settings,
		       const char *pattern)
{
	const struct recording *r = s->recording;
	char why[128], *name = output_expand(pattern, s->pid, getenv, why), *longer;
	unsigned int later = followers(r, s->slot, s->pid);
	uint32_t first = settings->pid ? recording_find(r, (pid_t)settings->pid) :
					 recording_main(r);
	struct mu_slot entry;

	if (!name) {
		warn("%s: %s", pattern, why);
		return NULL;
	}
	if (!has_pid(pattern) && segment_slot(&r->segment, first, &entry) &&
	    (pid_t)entry.pid != s->pid) {
		longer = xasprintf("%s.%d", name, (int)s->pid);
		free(name);
		name = longer;
	}
	if (later > 0) {
		longer = xasprintf("%s.%u", name, later);
		free(name);
		name = longer;
	}
	return name;
}

static int write_file(struct subject *s, const struct settings *settings,
		      const struct imagefile *file)
{
	char *name = file_name(s, settings, file->pattern);
	struct output out = { 0 };
	int result = -1;

	if (name && output_open(&out, name, 0) == 0)
		result = file->write(out.stream, name, s, settings);
	if (output_close(&out) < 0)
		result = -1;
	free(name);
	return result;
}

static int write_image(struct subject *s, const struct settings *settings,
		       const struct imagefile *file, int count)
{
	int result = 0;

	for (int i = 0; i < count; i++) {
		if (file[i].pattern)
			result |= write_file(s, settings, &file[i]);
	}
	return result;
}

static int write_slot(const struct recording *r, uint32_t slot, const struct settings *settings,
		      const struct imagefile *file, int count)
{
	struct subject s;
	int result = subject_open(&s, r, slot, settings);

	if (result == 0)
		result = write_image(&s, settings, file, count);
	subject_close(&s);
	return result;
}

int imagefiles_write(const struct recording *r, struct subject *open,
		     const struct settings *settings, const struct imagefile *file, int count)
{
	int result = 0;

	for (uint32_t k = settings->first_image; k < r->segment.head.slot_count; k++) {
		struct image im;

		if (segment_image(&r->segment, k, &im, NULL) < 0)
			continue;
		if (open && open->slot == k)
			result |= write_image(open, settings, file, count);
		else
			result |= write_slot(r, k, settings, file, count);
	}
	return result;
}
