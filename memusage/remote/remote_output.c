/* remote_output.c -- Write the file that a command of memusage --pid names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/xmalloc.h"
#include "memusage/common/files.h"

enum { NUMBERS = 100000 };	/* limit of the file numbers that are tried */
#define OUTPUT_BYTES_MAX (UINT64_C(1) << 30)

char *remote_output_unused_name(const struct remote *r)
{
	char *name = NULL;
	struct stat st;

	for (uint32_t number = 1; number < NUMBERS; number++) {
		free(name);
		name = remote_xtree_name(r, number);
		if (!name || lstat(name, &st) < 0)
			return name;
	}
	warn("%s: no unused number is left for this name; remove old files", name);
	free(name);
	return NULL;
}

/* An owner that is not us controls the content, but must not control its length. */
static int copy_temporary_file(const struct remote *r, struct output *out)
{
	char data[16 << 10];
	uint64_t sum = 0;
	ssize_t n;

	lseek(r->output_fd, 0, SEEK_SET);
	while ((n = read(r->output_fd, data, sizeof(data))) > 0 && !output_failed(out)) {
		sum += (uint64_t)n;
		if (r->owner && sum > OUTPUT_BYTES_MAX) {
			warn("%s: it would be larger than 1 GiB", out->name);
			return -1;
		}
		fwrite(data, 1, (size_t)n, out->stream);
	}
	if (n < 0)
		warn("%s: %m", out->name);
	return n < 0 ? -1 : 0;
}

/* Copies the temporary file to the requested one, which is written with our own rights. */
int remote_output_write(const struct remote *r)
{
	char *name = remote_makes_tree(r)   ? remote_output_unused_name(r) :
		     r->command->is_pattern ? files_expand(remote_file_name(r), r->pid) :
					      xstrdup(remote_file_name(r));
	const bool is_dash = name && strcmp(name, "-") == 0 && !remote_makes_tree(r);
	struct output out = { 0 };
	int result = -1;

	if (name && output_open(&out, is_dash ? "./-" : name, 0) == 0) {
		result = copy_temporary_file(r, &out);
		if (output_close(&out) < 0)
			result = -1;
	}
	if (result == 0)
		remote_tell_written(r, name);
	free(name);
	return result;
}
