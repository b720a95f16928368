/* tracee_refusal.c -- Why a process cannot be stopped from outside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_refusal.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "memusage/common/process.h"

int tracee_refusal_scope(void)
{
	FILE *f = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (f && fscanf(f, "%d", &scope) != 1)
		scope = 0;
	if (f)
		fclose(f);
	return scope;
}

pid_t tracee_refusal_tracer(pid_t pid)
{
	pid_t tracer = (pid_t)process_status_value(pid, "TracerPid:", 10, 0), tid;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && tracer == 0 && (tid = process_next(tasks)) > 0)
		tracer = (pid_t)process_status_value(tid, "TracerPid:", 10, 0);
	if (tasks)
		closedir(tasks);
	return tracer;
}

#define TRACED \
	"process %d traces it already (a debugger, or strace): end that first"
#define EXAMINED \
	"memusage examines it already, at its end perhaps, or for another client: ask again"
#define NEVER \
	"kernel.yama.ptrace_scope is 3, so nothing can examine a process before the next boot"
#define RESTRICTED \
	"kernel.yama.ptrace_scope is %d: set it to 0 (sysctl -w kernel.yama.ptrace_scope=0), or " \
	"start the program with memusage --leak-check=full"
#define FORBIDDEN \
	"the kernel does not let us stop it (ptrace): it has changed its user, is not dumpable " \
	"(prctl(2)), or a container forbids that (--cap-add=SYS_PTRACE); in a run that root " \
	"starts, root can ask, and it is examined at its end (memusage --leak-check=full)"

/* An examiner has the name of the client or the collector that began it. */
static bool is_ours(pid_t tracer)
{
	char name[17];

	process_name(tracer, name);
	return strncmp(name, "memusage", strlen("memusage")) == 0;
}

bool tracee_refusal_is_brief(pid_t pid)
{
	const pid_t tracer = tracee_refusal_tracer(pid);

	return tracer > 0 && is_ours(tracer);
}

/* Says what forbids it, and what to do. */
int tracee_refusal_explain(pid_t pid, int why, struct mu_error *err)
{
	const int scope = tracee_refusal_scope();
	const pid_t tracer = tracee_refusal_tracer(pid);

	if (tracer > 0 && is_ours(tracer))
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, EXAMINED);
	if (tracer > 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, TRACED, (int)tracer);
	if (why == EPERM && scope == 3)
		return mu_error_set(err, MU_ERROR_DENIED, 0, NEVER);
	if (why == EPERM && scope > 0)
		return mu_error_set(err, MU_ERROR_DENIED, 0, RESTRICTED, scope);
	if (why == EPERM)
		return mu_error_set(err, MU_ERROR_DENIED, 0, FORBIDDEN);
	errno = why;
	return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot stop it: %m");
}
