/* durable_run.c -- A run whose arena is a file (--durable).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/durable_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/common/files.h"
#include "memusage/record/durable.h"
#include "profile/base/file.h"

static char *record_name(const struct settings *settings, pid_t pid)
{
	return files_expand(recordfile_pattern(settings), pid);
}

static void make_way(const char *record)
{
	if (!durable_make_way(record))
		die("%s: killed runs have left nine recordings beside it (%s.1 ...): make their "
		    "reports (memusage --finish %s.1) or remove them, or use %%p in the name",
		    record, record, record);
}

void durable_run_prepare(const struct settings *settings)
{
	char *record = record_name(settings, getpid());

	make_way(record);
	free(record);
}

/* The arguments as they were typed, for people. */
static void read_command(char text[LEDGER_COMMAND])
{
	const size_t length = file_read_text("/proc/self/cmdline", text, LEDGER_COMMAND);

	for (size_t i = 0; i + 1 < length; i++)
		if (text[i] == '\0')
			text[i] = ' ';
}

bool durable_run_create(struct session *s, const struct mu_config *config)
{
	char *record = record_name(s->settings, getpid()), *name = durable_name(record, 0);
	char command[LEDGER_COMMAND];
	struct mu_error err = { .code = MU_ERROR_NONE };
	bool is_done = arena_create_file(&s->arena, config, name, &err) == 0;

	read_command(command);
	if (is_done && !ledger_begin(&s->arena.ledger, 0, command)) {
		mu_error_set(&err, MU_ERROR_SYSTEM, 0, "%m");
		arena_discard(&s->arena);
		is_done = false;
	}
	if (!is_done && err.code == MU_ERROR_FORMAT)
		die("--durable: cannot keep the recording in %s: %s", name, err.text);
	if (!is_done)
		warn("--durable: cannot keep the recording in %s: %s; it is in memory: a kill of "
		     "all processes, memusage among them, would lose it", name, err.text);
	free(record);
	free(name);
	return is_done;
}

void durable_run_started(struct session *s, pid_t program)
{
	char *record, *name;

	ledger_set_root(&s->arena.ledger, program);
	if (!s->arena.name || !files_has_pid(recordfile_pattern(s->settings)))
		return;
	record = record_name(s->settings, program);
	name = durable_name(record, 0);
	if (!durable_make_way(record) || !arena_rename(&s->arena, name))
		warn("cannot rename %s to %s: %m", s->arena.name, name);
	free(record);
	free(name);
}
