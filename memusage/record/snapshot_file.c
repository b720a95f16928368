/* snapshot_file.c -- Have memusageprint write the file of a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/snapshot_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/temporary.h"
#include "cli/xmalloc.h"
#include "formats/xtree.h"
#include "memusage/common/child.h"
#include "memusage/common/library.h"
#include "memusage/common/private_dir.h"

/* The suffix of a tree's file name chooses its format, so the descriptor needs a name with the same
 * suffix. */
static bool make_tree_link(struct library *link, const char *target)
{
	bool ok = private_dir_new(link->dir, sizeof(link->dir));

	if (ok) {
		snprintf(link->path, sizeof(link->path), "%s/tree.ms", link->dir);
		ok = symlink(target, link->path) == 0;
	}
	if (!ok)
		warn("cannot make a link: %m");
	return ok;
}

static void append_output_options(const struct snapshot_file *f, struct opt_list *arguments)
{
	if (f->is_xtree) {
		opt_list_append(arguments, "--xtree-memory=allocs");
		opt_list_append(arguments,
				xasprintf("--xtree-memory-file=%s", output_escape(f->name)));
		return;
	}
	opt_list_append(arguments, "--to=massif");
	opt_list_append(arguments, xasprintf("--output=%s%s", strcmp(f->name, "-") == 0 ? "./" : "",
					     f->name));
	opt_list_append(arguments, xasprintf("--massif-desc=%s",
					     f->desc && *f->desc ? f->desc : " (none)"));
}

void snapshot_file_execute(const struct snapshot_file *f, int recording)
{
	struct opt_list arguments = { .count = 0 };

	opt_list_append(&arguments, "memusageprint");
	append_output_options(f, &arguments);
	opt_list_append_all(&arguments, f->options);
	opt_list_append(&arguments, "--");
	opt_list_append(&arguments, child_pass_file(recording));
	child_execute(&arguments, "");
}

static int run_memusageprint(const struct snapshot_file *f, int recording)
{
	pid_t pid = child_fork("memusageprint");

	if (pid == 0)
		snapshot_file_execute(f, recording);
	return child_finish(pid, "memusageprint", f->name);
}

/* Does the same, but writes to a descriptor. */
static int print_to_descriptor(const struct snapshot_file *f, int recording)
{
	struct library link = { .dir = "" };
	struct snapshot_file own = *f;
	char *name = child_pass_file(f->output_fd);
	int result = -1;

	own.name = name;
	if (f->is_xtree && xtree_is_massif(f->name)) {
		if (!make_tree_link(&link, name))
			goto out;
		own.name = link.path;
	}
	result = run_memusageprint(&own, recording);
	library_remove(&link);
out:
	free(name);
	return result;
}

int snapshot_file_write(const struct snapshot_file *f, const struct live_snapshots *shots,
			const struct live *l)
{
	int fd = temporary_open(), result = -1;
	struct mu_error err;

	if (fd < 0) {
		warn("cannot create a temporary file: %m; set TMPDIR to a writable directory");
		return -1;
	}
	if (live_snapshot_save(shots, l, f->pid, fd, &err) < 0)
		warn("process %d: %s", (int)f->pid, err.text);
	else
		result = f->output_fd >= 0 ? print_to_descriptor(f, fd) : run_memusageprint(f, fd);
	close(fd);
	return result;
}
