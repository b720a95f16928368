/* remote_command.c -- The commands of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusage/record/snapshot_file.h"
#include "memusage/remote/remote_status.h"

/* ---- files ------------------------------------------------------------------------------- */

/* Returns the options of the run, if it may choose them, followed by those of this command
 * line, which take precedence. */
static const char **gather_options(const struct remote *r, size_t *count)
{
	const struct control_answer *a = &r->contact.answer;
	const struct opt_list *own = &r->settings->massif.report;
	const char **list = xcalloc(own->count + CONTROL_TEXT / 2, sizeof(*list));
	size_t at = strnlen(a->text, CONTROL_TEXT) + 1;

	*count = 0;
	for (; at < a->text_length; at += strlen(a->text + at) + 1) {
		if (massif_may_pass(a->text + at))
			list[(*count)++] = a->text + at;
	}
	for (size_t i = 0; i < own->count; i++)
		list[(*count)++] = own->item[i];
	return list;
}

static void warn_about_quality(const struct remote *r, const struct live_snapshots *s,
			       bool detailed)
{
	char text[UNITS_LENGTH];

	if (detailed && !s->has_places)
		warn("process %d: no call stacks are recorded, so there is no tree: start it with "
		     "--massif or --record", (int)r->pid);
	if (s->moved > 0)
		warn("process %d: it kept running meanwhile: the snapshot is exact to within %s",
		     (int)r->pid, units_bytes(text, s->moved));
}

void remote_tell_written(const struct remote *r, const char *name)
{
	if (!r->settings->quiet)
		fprintf(stderr, "memusage: %s of process %d: %s\n", r->command->name,
			(int)r->pid, name);
}

/* Returns the description for a line of the file, or NULL if it has control characters, which could
 * begin a second line. */
static const char *printable_description(const struct remote *r)
{
	const char *text = r->contact.answer.text;

	for (const char *c = text; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return NULL;
	}
	return text;
}

static int write_file(struct remote *r, const struct live_snapshots *s, const char *name)
{
	struct snapshot_file f = { .name = name,
				   .output_fd = r->output_fd,
				   .pid = r->pid,
				   .is_xtree = r->command->is_xtree,
				   .desc = printable_description(r) };
	int result;

	f.option = gather_options(r, &f.options);
	result = snapshot_file_write(&f, s, &r->contact.live);
	free(f.option);
	if (result == 0 && r->output_fd < 0)
		remote_tell_written(r, name);
	return result;
}

static int take_snapshot(struct remote *r, bool detailed, const char *name)
{
	struct mu_error err;
	struct live_snapshots s;
	int result = -1;

	if (live_snapshot_take(&s, &r->contact.live, detailed, &err) < 0) {
		warn("process %d: %s", (int)r->pid, err.text);
	} else {
		warn_about_quality(r, &s, detailed);
		result = write_file(r, &s, name);
	}
	live_snapshot_free(&s);
	return result;
}

const char *remote_massif_name(const struct remote *r)
{
	return r->file ? r->file : "massif.vgdb.out";
}

static int run_snapshot(struct remote *r)
{
	return take_snapshot(r, false, remote_massif_name(r));
}

static int run_detailed_snapshot(struct remote *r)
{
	return take_snapshot(r, true, remote_massif_name(r));
}

static int run_all_snapshots(struct remote *r)
{
	struct mu_error err;
	struct live_snapshots s;
	int result = -1;

	if (live_snapshot_copy_all(&s, &r->contact.live, &err) < 0)
		warn("process %d: %s", (int)r->pid, err.text);
	else if (s.count == 0)
		warn("process %d: no snapshots are taken: start it with --massif or --record",
		     (int)r->pid);
	else
		result = write_file(r, &s, remote_massif_name(r));
	if (s.left_out > 0)
		warn("process %d: %" PRIu64 " snapshots are left out: all together would be too "
		     "large", (int)r->pid, s.left_out);
	live_snapshot_free(&s);
	return result;
}

static const char *xtree_pattern(const struct remote *r)
{
	return r->file ? r->file : "xtmemory.kcg.%p.%n";
}

/* Replaces %n by the file's number for this process, and keeps the other specifiers. */
static char *number_name(const char *pattern, uint32_t number)
{
	char *text = xstrdup(""), *longer;

	while (*pattern) {
		bool is_number = strncmp(pattern, "%n", 2) == 0;
		bool is_pair = *pattern == '%' && pattern[1];

		if (is_number)
			longer = xasprintf("%s%u", text, number);
		else
			longer = xasprintf("%s%.*s", text, is_pair ? 2 : 1, pattern);
		free(text);
		text = longer;
		pattern += is_number || is_pair ? 2 : 1;
	}
	return text;
}

char *remote_xtree_name(const struct remote *r, uint32_t number)
{
	char why[128];
	char *pattern = number_name(xtree_pattern(r), number);
	char *name = output_expand(pattern, r->pid, getenv, why);

	if (!name)
		warn("%s: %s", pattern, why);
	free(pattern);
	return name;
}

static int run_xtmemory(struct remote *r)
{
	char *name = r->output_fd >= 0 ? xstrdup(r->format_name) :
					 remote_xtree_name(r, r->contact.answer.number);
	int result = name ? take_snapshot(r, true, name) : -1;

	free(name);
	return result;
}

/* ---- control ----------------------------------------------------------------------------- */

static int send_request(struct remote *r, enum mu_request request, const char *done,
			const char *later)
{
	struct live *l = &r->contact.live;
	enum live_result result = live_request(l, request);

	if (!live_is_current(l)) {
		warn("process %d has ended", (int)r->pid);
		return -1;
	}
	if (result == LIVE_STUCK) {
		live_withdraw(l, request);
		warn("process %d does not respond: one of its threads is stopped inside the "
		     "recorder",
		     (int)r->pid);
		return -1;
	}
	if (!r->settings->quiet)
		fprintf(stderr, "memusage: process %d: %s\n", (int)r->pid,
			result == LIVE_SERVED ? done : later);
	return 0;
}

static int run_stop(struct remote *r)
{
	return send_request(r, MU_REQUEST_STOP, "recording is stopped",
			    "it is idle; recording stops before its next call");
}

static int run_start(struct remote *r)
{
	return send_request(r, MU_REQUEST_START, "recording is resumed",
			    "it is idle; recording resumes with its next call");
}

static int run_status(struct remote *r)
{
	return remote_status(&r->contact, r->pid);
}

static const struct remote_command commands[] = {
	{ "help", NULL, "show this list", 0, remote_command_help, false },
	{ "status", NULL, "show the state of the recording", 0, run_status, false },
	{ "snapshot", "FILE", "write a snapshot to FILE (default massif.vgdb.out)",
	  CONTROL_EXCLUSIVE, run_snapshot, false },
	{ "detailed_snapshot", "FILE", "the same with the tree of call stacks", CONTROL_EXCLUSIVE,
	  run_detailed_snapshot, false },
	{ "all_snapshots", "FILE", "write all snapshots taken so far to FILE", CONTROL_EXCLUSIVE,
	  run_all_snapshots, false },
	{ "xtmemory", "FILE", "write the tree in callgrind's form (default xtmemory.kcg.%p.%n)",
	  CONTROL_EXCLUSIVE | CONTROL_COUNT, run_xtmemory, true },
	{ "stop", NULL, "stop recording new blocks", CONTROL_EXCLUSIVE, run_stop, false },
	{ "start", NULL, "resume recording", CONTROL_EXCLUSIVE, run_start, false },
};

enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

int remote_command_help(struct remote *r)
{
	(void)r;
	puts("Commands of memusage --pid=PID (any unique prefix is enough):");
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct remote_command *c = &commands[i];

		printf("  %s%s%s%s%*s  %s\n", c->name, c->operand ? " [" : "",
		       c->operand ? c->operand : "", c->operand ? "]" : "",
		       (int)(26 - strlen(c->name) - (c->operand ? strlen(c->operand) + 3 : 0)), "",
		       c->help);
	}
	return fflush(stdout) == 0 ? 0 : -1;
}

const struct remote_command *remote_command(const char *word)
{
	const struct remote_command *found = NULL;
	size_t length = strlen(word);

	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].name, word) == 0)
			return &commands[i];
		if (length == 0 || strncmp(commands[i].name, word, length) != 0)
			continue;
		if (found) {
			warn("%s is ambiguous: it can mean %s or %s", word, found->name,
			     commands[i].name);
			return NULL;
		}
		found = &commands[i];
	}
	if (!found)
		warn("unknown command %s; `memusage --pid=PID help` lists the commands", word);
	return found;
}
