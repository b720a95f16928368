/* remote.c -- `memusage --pid=PID COMMAND`: talk to a process that runs under memusage.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusage/contact.h"
#include "memusage/program.h"
#include "memusage/remote_status.h"
#include "memusage/shotfile.h"
#include "memusage/stranger.h"

enum { BUSY_TRIES = 100, BUSY_NS = 100000000 };	/* 10 s */

struct remote {
	const struct settings *settings;
	const struct command *command;
	const char *file;	/* operand, NULL: none */
	pid_t pid;
	struct contact contact;
};

struct command {
	const char *name;
	const char *operand;	/* NULL: takes none */
	const char *help;
	unsigned int flags;	/* enum control_flag */
	int (*run)(struct remote *r);
	bool is_xtree;		/* what the file is to be */
};

/* ---- files ------------------------------------------------------------------------------- */

/* The options of the run, then those of this command line, which count for more. */
static const char **gather_options(const struct remote *r, size_t *count)
{
	const struct control_answer *a = &r->contact.answer;
	const struct opt_list *own = &r->settings->massif.report;
	const char **list = xcalloc(own->count + CONTROL_TEXT / 2, sizeof(*list));
	size_t at = strnlen(a->text, CONTROL_TEXT) + 1;

	*count = 0;
	for (; at < a->text_length; at += strlen(a->text + at) + 1) {
		if (strncmp(a->text + at, "--", 2) == 0)
			list[(*count)++] = a->text + at;
	}
	for (size_t i = 0; i < own->count; i++)
		list[(*count)++] = own->item[i];
	return list;
}

static void tell_quality(const struct remote *r, const struct shots *s, bool detailed)
{
	char text[UNITS_LENGTH];

	if (detailed && !s->has_places)
		warn("process %d: no call stacks are recorded, so there is no tree: start it with "
		     "--massif or --record", (int)r->pid);
	if (s->moved > 0)
		warn("process %d: it went on meanwhile: the snapshot is exact to within %s",
		     (int)r->pid, units_bytes(text, s->moved));
}

static int write_file(struct remote *r, const struct shots *s, const char *name)
{
	struct shotfile f = { .name = name, .is_xtree = r->command->is_xtree, .pid = r->pid,
			      .desc = r->contact.answer.text };
	int result;

	f.option = gather_options(r, &f.options);
	result = shotfile_write(&f, s, &r->contact.live);
	free(f.option);
	if (result == 0 && !r->settings->quiet)
		fprintf(stderr, "memusage: %s of process %d: %s\n", r->command->name,
			(int)r->pid, name);
	return result;
}

static int take_snapshot(struct remote *r, bool detailed, const char *name)
{
	struct mu_error err;
	struct shots s;
	int result = -1;

	if (shots_take(&s, &r->contact.live, detailed, &err) < 0) {
		warn("process %d: %s", (int)r->pid, err.text);
	} else {
		tell_quality(r, &s, detailed);
		result = write_file(r, &s, name);
	}
	shots_free(&s);
	return result;
}

static const char *massif_name(const struct remote *r)
{
	return r->file ? r->file : "massif.vgdb.out";
}

static int run_snapshot(struct remote *r)
{
	return take_snapshot(r, false, massif_name(r));
}

static int run_detailed(struct remote *r)
{
	return take_snapshot(r, true, massif_name(r));
}

static int run_all(struct remote *r)
{
	struct mu_error err;
	struct shots s;
	int result = -1;

	if (shots_copy(&s, &r->contact.live, &err) < 0)
		warn("process %d: %s", (int)r->pid, err.text);
	else if (s.count == 0)
		warn("process %d: no snapshots are taken: start it with --massif or --record",
		     (int)r->pid);
	else
		result = write_file(r, &s, massif_name(r));
	shots_free(&s);
	return result;
}

/* %n is ours: the file's number for this process. Other specifiers are those of every name. */
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

static int run_xtmemory(struct remote *r)
{
	char why[128];
	char *pattern = number_name(r->file ? r->file : "xtmemory.kcg.%p.%n",
				    r->contact.answer.number);
	char *name = output_expand(pattern, r->pid, getenv, why);
	int result = -1;

	if (!name)
		warn("%s: %s", pattern, why);
	else
		result = take_snapshot(r, true, name);
	free(pattern);
	free(name);
	return result;
}

/* ---- control ----------------------------------------------------------------------------- */

static int ask(struct remote *r, enum mu_request request, const char *done, const char *later)
{
	struct live *l = &r->contact.live;
	enum live_result result = live_ask(l, request);

	if (!live_is_there(l)) {
		warn("process %d has ended", (int)r->pid);
		return -1;
	}
	if (result == LIVE_STUCK) {
		live_withdraw(l, request);
		warn("process %d does not answer: a thread of it is stopped inside the recorder",
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
	return ask(r, MU_REQUEST_STOP, "recording is stopped",
		   "it is idle; recording is stopped before its next call");
}

static int run_start(struct remote *r)
{
	return ask(r, MU_REQUEST_START, "recording goes on",
		   "it is idle; recording goes on with its next call");
}

static int run_status(struct remote *r)
{
	return remote_status(&r->contact, r->pid);
}

static int run_help(struct remote *r);

static const struct command commands[] = {
	{ "help", NULL, "show this list", 0, run_help, false },
	{ "status", NULL, "show how things stand", 0, run_status, false },
	{ "snapshot", "FILE", "write a snapshot to FILE (default massif.vgdb.out)", CONTROL_ALONE,
	  run_snapshot, false },
	{ "detailed_snapshot", "FILE", "the same with the tree of who allocated", CONTROL_ALONE,
	  run_detailed, false },
	{ "all_snapshots", "FILE", "write all snapshots taken so far", CONTROL_ALONE, run_all,
	  false },
	{ "xtmemory", "FILE", "write the tree in callgrind's form (default xtmemory.kcg.%p.%n)",
	  CONTROL_ALONE | CONTROL_COUNT, run_xtmemory, true },
	{ "stop", NULL, "record no new blocks until start", CONTROL_ALONE, run_stop, false },
	{ "start", NULL, "record again", CONTROL_ALONE, run_start, false },
};

enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

static int run_help(struct remote *r)
{
	(void)r;
	puts("Commands of memusage --pid=PID, which can be shortened as long as they are unique:");
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];

		printf("  %s%s%s%s%*s  %s\n", c->name, c->operand ? " [" : "",
		       c->operand ? c->operand : "", c->operand ? "]" : "",
		       (int)(26 - strlen(c->name) - (c->operand ? strlen(c->operand) + 3 : 0)), "",
		       c->help);
	}
	return fflush(stdout) == 0 ? 0 : -1;
}

/* NULL after a message. */
static const struct command *find_command(const char *word)
{
	const struct command *found = NULL;
	size_t length = strlen(word);

	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].name, word) == 0)
			return &commands[i];
		if (length == 0 || strncmp(commands[i].name, word, length) != 0)
			continue;
		if (found) {
			warn("%s is short for %s and for %s", word, found->name,
			     commands[i].name);
			return NULL;
		}
		found = &commands[i];
	}
	if (!found)
		warn("%s is no command; `memusage --pid=PID help` lists them", word);
	return found;
}

/* ---- all together ------------------------------------------------------------------------ */

/* A collector of another user denies whatever we ask it, also what is not about its processes. */
static bool is_foreign(pid_t pid)
{
	struct stat st;
	char name[32];

	snprintf(name, sizeof(name), "/proc/%d", (int)pid);
	return stat(name, &st) == 0 && st.st_uid != geteuid();
}

static int explain(const struct remote *r, enum contact_status status)
{
	const int pid = (int)r->pid;

	if (status == CONTACT_DENIED && !is_foreign(r->pid))
		status = CONTACT_NOBODY;
	switch (status) {
	case CONTACT_NOBODY:
		return stranger_explain(r->pid);
	case CONTACT_BUSY:
		warn("process %d: another memusage is at work on it", pid);
		return -1;
	case CONTACT_DENIED:
		warn("process %d is another user's: only that user, and root, can look at it",
		     pid);
		return -1;
	case CONTACT_NO_IMAGE:
		warn("process %d runs under memusage, but is not recorded (it has not allocated "
		     "since its fork, or was left out)", pid);
		return -1;
	case CONTACT_DEAD:
		warn("process %d is recorded, but its collector is gone: only root can still look "
		     "at it", pid);
		return -1;
	case CONTACT_SILENT:
		warn("process %d: its collector did not answer for 10 seconds: it is stopped, or "
		     "very busy; try again", pid);
		return -1;
	default:
		return -1;
	}
}

/* Clients take turns. */
static enum contact_status open_contact(struct remote *r)
{
	const struct timespec pause = { 0, BUSY_NS };
	enum contact_status status = contact_open(&r->contact, r->pid, r->command->flags);

	for (int i = 0; status == CONTACT_BUSY && i < BUSY_TRIES; i++) {
		nanosleep(&pause, NULL);
		status = contact_open(&r->contact, r->pid, r->command->flags);
	}
	return status;
}

static bool is_launcher(pid_t pid)
{
	struct stat mine, its;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat("/proc/self/exe", &mine) == 0 && stat(path, &its) == 0 &&
	       mine.st_dev == its.st_dev && mine.st_ino == its.st_ino;
}

/* Shells say `$!` of the memusage that they started: its program is meant. The collector, a child
 * too, is not recorded. */
static enum contact_status open_program(struct remote *r)
{
	enum contact_status status = CONTACT_NO_IMAGE;
	const pid_t launcher = r->pid;
	char path[64];
	FILE *children;
	int pid;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)launcher, (int)launcher);
	children = fopen(path, "re");
	while (children && status != CONTACT_OK && fscanf(children, "%d", &pid) == 1) {
		r->pid = (pid_t)pid;
		status = open_contact(r);
	}
	if (children)
		fclose(children);
	if (status != CONTACT_OK)
		r->pid = launcher;
	return status == CONTACT_OK ? CONTACT_OK : CONTACT_NO_IMAGE;
}

static int run(struct remote *r)
{
	enum contact_status status;
	int result;

	if (r->command->run == run_help)
		return run_help(r);
	status = open_contact(r);
	/* The launcher has the arena, too: who may not open that sees nobody who answers for it. */
	if ((status == CONTACT_NO_IMAGE || status == CONTACT_NOBODY ||
	     status == CONTACT_DEAD) && is_launcher(r->pid))
		status = open_program(r);
	if (status != CONTACT_OK)
		return explain(r, status);
	result = r->command->run(r);
	contact_close(&r->contact);
	return result;
}

int remote_run(const struct settings *settings)
{
	char **words = settings->command;
	struct remote r = { .settings = settings, .pid = (pid_t)settings->pid };

	/* A limit of the size of files is an error of write() to be reported. */
	signal(SIGXFSZ, SIG_IGN);
	r.command = find_command(*words ? words[0] : "status");
	if (!r.command)
		return STATUS_FAILED;
	r.file = *words ? words[1] : NULL;
	if (r.file && (!r.command->operand || words[2]))
		die("%s takes %s", r.command->name,
		    r.command->operand ? "one file" : "no operand");
	if (r.file && *r.file == '\0')
		die("the name of the file is empty");
	return run(&r) < 0 ? STATUS_FAILED : 0;
}
