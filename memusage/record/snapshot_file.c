/* snapshot_file.c -- Have memusageprint write the file of a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/xtree.h"
#include "memusage/common/files.h"
#include "memusage/common/library.h"
#include "memusage/common/private_dir.h"

enum { ARGUMENTS = 8 };	/* besides the options */

/* Escapes a file name, which memusageprint takes for a pattern. */
static char *escape_percent(const char *name)
{
	char *text = xcalloc(2, strlen(name) + 1), *to = text;

	for (; *name; name++) {
		if (*name == '%')
			*to++ = '%';
		*to++ = *name;
	}
	return text;
}

/* The suffix of a tree's file name chooses its format, so the descriptor needs a name with the same
 * suffix. */
static bool make_tree_link(struct library *link, const struct snapshot_file *f)
{
	char *target = xasprintf("/proc/self/fd/%d", f->output_fd);
	bool ok = private_dir_new(link->dir, sizeof(link->dir));

	if (ok) {
		snprintf(link->path, sizeof(link->path), "%s/tree.ms", link->dir);
		ok = symlink(target, link->path) == 0;
	}
	if (!ok)
		warn("cannot make a link: %m");
	free(target);
	return ok;
}

static size_t append_output_options(const struct snapshot_file *f, char **argv)
{
	if (f->is_xtree) {
		argv[0] = xstrdup("--xtree-memory=allocs");
		argv[1] = xasprintf("--xtree-memory-file=%s", escape_percent(f->name));
		return 2;
	}
	argv[0] = xstrdup("--to=massif");
	argv[1] = xasprintf("--output=%s%s", strcmp(f->name, "-") == 0 ? "./" : "", f->name);
	argv[2] = xasprintf("--massif-desc=%s", f->desc && *f->desc ? f->desc : " (none)");
	return 3;
}

void snapshot_file_execute(const struct snapshot_file *f, int recording)
{
	char *tool = library_sibling("memusageprint");
	char **argv = xcalloc(f->options + ARGUMENTS, sizeof(*argv));
	size_t n = 0;

	if (!tool)
		die("cannot find memusageprint: /proc/self/exe is not readable");
	argv[n++] = xstrdup("memusageprint");
	n += append_output_options(f, argv + n);
	for (size_t i = 0; i < f->options; i++)
		argv[n++] = xstrdup(f->option[i]);
	argv[n++] = xstrdup("--");
	argv[n++] = xasprintf("/proc/self/fd/%d", recording);
	fcntl(recording, F_SETFD, 0);
	execv(tool, argv);
	warn("cannot run %s: %m", tool);
	_exit(127);
}

static int run_memusageprint(const struct snapshot_file *f, int recording)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		snapshot_file_execute(f, recording);
	if (pid < 0) {
		warn("cannot run memusageprint: %m");
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		warn("memusageprint was killed by signal %d: %s is incomplete", WTERMSIG(status),
		     f->name);
	return status == 0 ? 0 : -1;
}

/* Does the same, but writes to a descriptor. */
static int print_to_descriptor(const struct snapshot_file *f, int recording)
{
	struct library link = { .dir = "" };
	struct snapshot_file own = *f;
	char *name = NULL;
	int result;

	fcntl(f->output_fd, F_SETFD, 0);
	if (!f->is_xtree || !xtree_is_massif(f->name))
		name = xasprintf("/proc/self/fd/%d", f->output_fd);
	else if (!make_tree_link(&link, f))
		return -1;
	own.name = name ? name : link.path;
	result = run_memusageprint(&own, recording);
	library_remove(&link);
	free(name);
	return result;
}

int snapshot_file_write(const struct snapshot_file *f, const struct live_snapshots *shots,
			const struct live *l)
{
	int fd = files_temporary(), result = -1;
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
