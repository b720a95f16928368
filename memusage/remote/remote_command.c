/* remote_command.c -- The commands of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/live_wire.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/similar.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusage/record/snapshot_file.h"
#include "memusage/remote/remote_census.h"
#include "memusage/remote/remote_holders.h"
#include "memusage/remote/remote_leaks.h"
#include "memusage/remote/remote_live.h"
#include "memusage/remote/remote_pages.h"
#include "memusage/remote/remote_report.h"
#include "memusage/remote/remote_request.h"
#include "memusage/remote/remote_status.h"

#define MASSIF_FILE "massif.vgdb.out"

/* ---- files ------------------------------------------------------------------------------- */

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
	struct opt_list options = { .count = 0 };
	struct snapshot_file f = { .name = name,
				   .options = &options,
				   .output_fd = r->output_fd,
				   .pid = r->pid,
				   .is_xtree = r->command->is_xtree,
				   .desc = printable_description(r) };
	int result;

	remote_append_options(&options, r);
	result = snapshot_file_write(&f, s, &r->contact.live);
	free(options.item);
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

static int run_snapshot(struct remote *r)
{
	return take_snapshot(r, false, remote_file_name(r));
}

static int run_detailed_snapshot(struct remote *r)
{
	return take_snapshot(r, true, remote_file_name(r));
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
		result = write_file(r, &s, remote_file_name(r));
	if (s.left_out > 0)
		warn("process %d: %" PRIu64 " snapshots are left out: all together would be too "
		     "large", (int)r->pid, s.left_out);
	live_snapshot_free(&s);
	return result;
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

static int send_request(struct remote *r, enum mu_request request, const char *text,
			const char *done, const char *later)
{
	struct mu_error err;
	bool is_later;

	if (remote_request_send(&r->contact.live, request, text, &is_later, &err) < 0) {
		warn("process %d: %s", (int)r->pid, err.text);
		return -1;
	}
	if (!r->settings->quiet)
		fprintf(stderr, "memusage: process %d: %s\n", (int)r->pid, is_later ? later : done);
	return 0;
}

static int run_mark(struct remote *r)
{
	const char *name = r->operand ? r->operand : MARK_NAME;
	char *done, *later;
	int result;

	if (live_is_asleep(&r->contact.live)) {
		warn("process %d: it is asleep, so there is nothing to mark: give `start` first",
		     (int)r->pid);
		return -1;
	}
	done = xasprintf("mark %s is set; `growth %s` shows what has grown since", name, name);
	later = xasprintf("it is idle; mark %s is set before its next call", name);
	result = send_request(r, MU_REQUEST_MARK, name, done, later);
	free(done);
	free(later);
	return result;
}

/* Tells what the command finds already done. */
static int tell_state(const struct remote *r, const char *what)
{
	if (!r->settings->quiet)
		fprintf(stderr, "memusage: process %d: %s\n", (int)r->pid, what);
	return 0;
}

static int run_stop(struct remote *r)
{
	if (live_is_asleep(&r->contact.live))
		return tell_state(r, "it is asleep: nothing is being recorded");
	if (__atomic_load_n(&r->contact.live.shared->stopped, __ATOMIC_RELAXED) &&
	    !remote_request_is_waiting(&r->contact.live))
		return tell_state(r, "recording is stopped already");
	return send_request(r, MU_REQUEST_STOP, NULL, "recording is stopped",
			    "it is idle; recording stops before its next call");
}

/* Returns how `start` is to sample, or -1 after a message. The word is `--sample[=BYTES|auto]`, as
 * when a program is started, or the option before the command. */
static int choose_sample(struct remote *r, struct sample_settings *sample)
{
	const char *word = r->operand, *why = NULL;

	*sample = r->settings->sample;
	if (!word)
		return 0;
	if (strncmp(word, "--sample", 8) != 0 || (word[8] != '\0' && word[8] != '=')) {
		warn("start takes --sample[=BYTES|auto] only, not %s: everything else is chosen "
		     "when the program is started, as in memusage --start-paused --massif PROGRAM",
		     word);
		return -1;
	}
	why = sample_option(NULL, word[8] ? word + 9 : NULL, sample);
	if (why)
		warn("start --sample%s: %s", word + 8, why);
	return why ? -1 : 0;
}

/* Passes the distance of samples on; returns -1 after a message if it cannot be honoured. */
static int pass_sample(struct remote *r, const struct sample_settings *sample)
{
	struct live *l = &r->contact.live;
	const uint32_t flags = l->view.head.config.flags;
	struct mu_image *im = l->shared;

	if (!(flags & MU_CFG_SAMPLE)) {
		warn("process %d: it was prepared to record all blocks, not samples of them: start "
		     "the program with --sample%s, or give `start` alone",
		     (int)r->pid, flags & MU_CFG_START_PAUSED ? " --start-paused" : "");
		return -1;
	}
	if (!(flags & MU_CFG_START_PAUSED)) {
		warn("process %d: its samples were chosen when it was started: `start --sample` is "
		     "for programs that began with --start-paused", (int)r->pid);
		return -1;
	}
	/* Any process may have written it. */
	uint32_t now = __atomic_load_n(&im->sampling.log2, __ATOMIC_RELAXED);
	if (im->recorded.starts && sample->log2 < now && now <= MU_SAMPLE_LOG2_MAX) {
		char text[UNITS_LENGTH];

		warn("process %d: it has samples of one block for each %s already, and they cannot "
		     "become denser: give `start --sample` that or more, or `start` alone",
		     (int)r->pid, units_bytes(text, UINT64_C(1) << now));
		return -1;
	}
	im->recorded.sample_is_fixed = sample->is_fixed;
	__atomic_store_n(&im->recorded.sample_log2, sample->log2, __ATOMIC_RELEASE);
	return 0;
}

static int run_start(struct remote *r)
{
	const struct live *l = &r->contact.live;
	struct sample_settings sample;
	bool is_first = live_is_asleep(l);

	if (choose_sample(r, &sample) < 0 || (sample.is_wanted && pass_sample(r, &sample) < 0))
		return -1;
	if (!__atomic_load_n(&l->shared->stopped, __ATOMIC_RELAXED) &&
	    !remote_request_is_waiting(l) && !sample.is_wanted)
		return tell_state(r, "recording is on already");
	return send_request(r, MU_REQUEST_START, NULL,
			    is_first ? "recording has begun" : "recording is resumed",
			    is_first ? "it is idle; recording begins with its next call" :
				       "it is idle; recording resumes with its next call");
}

static int run_status(struct remote *r)
{
	return remote_status(&r->contact, r->pid);
}

/* Flags of reports with all that is known. */
enum { REPORT_FLAGS = CONTROL_SAMPLES | CONTROL_CHECKS | CONTROL_HOLDERS | CONTROL_EXISTING };

static const struct remote_command commands[] = {
	{ .name = "help", .help = "show this list", .run = remote_command_help },
	{ .name = "status", .help = "show the state of the recording", .run = run_status },
	{ .name = "top", .operand = "N", .flags = CONTROL_SAMPLES, .run = remote_report_print,
	  .help = "show the N places that held most at the peak so far (default 10)" },
	{ .name = "tree", .flags = CONTROL_SAMPLES, .run = remote_report_print,
	  .help = "show the tree of callers at the peak so far" },
	{ .name = "leaks", .operand = "N", .flags = CONTROL_SAMPLES, .run = remote_report_print,
	  .help = "show the N places of the blocks that are live now" },
	{ .name = "leak_check", .operand = REMOTE_LEAKS_WORDS,
	  .flags = CONTROL_EXCLUSIVE | CONTROL_CHECKS | CONTROL_SAMPLES,
	  .run = remote_leaks_run, .is_pattern = true, .takes_words = true,
	  .help = "examine which blocks nothing points to any more, as Memcheck does" },
	{ .name = "block_list", .operand = "N|N..M",
	  .flags = CONTROL_EXCLUSIVE | CONTROL_CHECKS | CONTROL_SAMPLES,
	  .run = remote_leaks_run_block_list, .takes_words = true, .needs_words = true,
	  .help = "show the blocks of loss records of the last leak_check" },
	{ .name = "who_points_at", .operand = "ADDRESS [BYTES]",
	  .flags = CONTROL_EXCLUSIVE | CONTROL_SAMPLES, .run = remote_leaks_run_who_points_at,
	  .takes_words = true, .needs_words = true,
	  .help = "show where pointers to an address are" },
	{ .name = "growth", .operand = "FROM..TO", .flags = CONTROL_SAMPLES,
	  .run = remote_report_print,
	  .help = "show what grew in the second half of the run, or between two moments" },
	{ .name = "temporary", .operand = "N", .flags = CONTROL_SAMPLES, .run = remote_report_print,
	  .help = "show the N places with most short-lived blocks" },
	{ .name = "pages", .operand = "FILE", .flags = CONTROL_EXCLUSIVE | CONTROL_SAMPLES,
	  .run = remote_pages_run, .is_pattern = true,
	  .help = "show what its resident memory is for, or keep it in a recording" },
	{ .name = "holders", .operand = "FILE",
	  .flags = CONTROL_EXCLUSIVE | CONTROL_HOLDERS | CONTROL_SAMPLES,
	  .run = remote_holders_run, .is_pattern = true,
	  .help = "show what holds its live blocks, or keep it in a recording" },
	{ .name = "census", .operand = "FILE", .run = remote_census_run, .is_pattern = true,
	  .needs_no_recording = true,
	  .help = "count the blocks of any process, recorded or not (FILE.json: as JSON)" },
	{ .name = "plot", .flags = CONTROL_SAMPLES, .run = remote_report_print,
	  .help = "draw the course of the run so far" },
	{ .name = "live", .run = remote_live_run,
	  .help = "watch all of this in the terminal; with --once print it once" },
	{ .name = "html", .operand = "FILE", .flags = REPORT_FLAGS,
	  .run = remote_report_page, .file = "", .is_pattern = true, .needs_operand = true,
	  .help = "write all of this as one HTML page" },
	{ .name = "record", .operand = "FILE", .flags = REPORT_FLAGS,
	  .run = remote_report_record, .file = "memusage.%p.mur", .is_pattern = true,
	  .help = "keep a recording of now, for memusageprint (default memusage.%p.mur)" },
	{ .name = "snapshot", .operand = "FILE", .flags = CONTROL_EXCLUSIVE, .run = run_snapshot,
	  .file = MASSIF_FILE, .help = "write a massif.out of now (default " MASSIF_FILE ")" },
	{ .name = "detailed_snapshot", .operand = "FILE", .flags = CONTROL_EXCLUSIVE,
	  .run = run_detailed_snapshot, .file = MASSIF_FILE,
	  .help = "the same with the tree of call stacks" },
	{ .name = "all_snapshots", .operand = "FILE", .flags = CONTROL_EXCLUSIVE,
	  .run = run_all_snapshots, .file = MASSIF_FILE,
	  .help = "write all snapshots taken so far to FILE" },
	{ .name = "xtmemory", .operand = "FILE", .flags = CONTROL_EXCLUSIVE | CONTROL_COUNT,
	  .run = run_xtmemory, .file = "xtmemory.kcg.%p.%n", .is_xtree = true,
	  .help = "write the tree in callgrind's form (default xtmemory.kcg.%p.%n)" },
	{ .name = "add-running", .operand = "FILE", .flags = CONTROL_RUN | CONTROL_SAMPLES,
	  .run = remote_report_add_running, .needs_operand = true, .is_hidden = true },
	{ .name = "mark", .operand = "NAME", .flags = CONTROL_EXCLUSIVE, .run = run_mark,
	  .help = "mark this moment (default name: mark), for growth NAME" },
	{ .name = "stop", .flags = CONTROL_EXCLUSIVE, .run = run_stop,
	  .help = "stop recording new blocks" },
	{ .name = "start", .operand = "--sample=BYTES", .flags = CONTROL_EXCLUSIVE,
	  .run = run_start,
	  .help = "resume recording, or begin it after --start-paused" },
};

enum { COMMANDS = sizeof(commands) / sizeof(*commands) };

int remote_command_help(struct remote *r)
{
	puts("Commands of memusage --pid=PID (any unique prefix is enough):");
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct remote_command *c = &commands[i];
		char usage[96];

		if (c->is_hidden)
			continue;
		snprintf(usage, sizeof(usage), !c->operand ? "%s" :
			 c->needs_operand || c->needs_words ? "%s %s" : "%s [%s]",
			 c->name, c->operand);
		printf("  %-26s  %s\n", usage, c->help);
	}
	return fflush(stdout) == 0 ? 0 : -1;
}

/* Returns the command that LENGTH bytes of WORD name, or NULL. */
static const struct remote_command *find_command_with_operand(const char *word, size_t length)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct remote_command *c = &commands[i];

		if (c->operand && !c->is_hidden && strlen(c->name) == length &&
		    strncmp(c->name, word, length) == 0)
			return c;
	}
	return NULL;
}

/* Names the command that WORD may mean. */
static void warn_unknown_command(const char *word)
{
	size_t length = strlen(word);
	unsigned int least = similar_limit(length);
	const size_t name = strcspn(word, "=");
	const struct remote_command *c = word[name] ? find_command_with_operand(word, name) : NULL;
	const char *found = NULL;

	for (size_t i = 0; i < COMMANDS; i++) {
		unsigned int distance = similar_distance(word, length, commands[i].name);

		if (distance < least && !commands[i].is_hidden) {
			least = distance;
			found = commands[i].name;
		}
	}
	if (c)
		warn("unknown command %s: give its operand as a word of its own: %s %s", word,
		     c->name, word + name + 1);
	else if (found)
		warn("unknown command %s: did you mean %s?", word, found);
	else
		warn("unknown command %s; `memusage --pid=PID help` lists the commands", word);
}

/* "t is ambiguous: it can mean top, tree or temporary" */
static void warn_ambiguous_command(const char *word)
{
	const char *name[COMMANDS];
	char list[256] = "";
	size_t count = 0;

	for (size_t i = 0; i < COMMANDS; i++) {
		if (!commands[i].is_hidden && strncmp(commands[i].name, word, strlen(word)) == 0)
			name[count++] = commands[i].name;
	}
	for (size_t i = 0; i < count; i++) {
		const size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%s",
			 i == 0 ? "" : i + 1 < count ? ", " : " or ", name[i]);
	}
	warn("%s is ambiguous: it can mean %s", word, list);
}

/* WORD may be a unique prefix. Returns NULL after a message. */
static const struct remote_command *find_command(const char *word)
{
	const struct remote_command *found = NULL;
	size_t length = strlen(word);

	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i].name, word) == 0)
			return &commands[i];
		if (length == 0 || strncmp(commands[i].name, word, length) != 0 ||
		    commands[i].is_hidden)
			continue;
		if (found) {
			warn_ambiguous_command(word);
			return NULL;
		}
		found = &commands[i];
	}
	if (!found)
		warn_unknown_command(word);
	return found;
}

const struct remote_command *remote_command_live(void)
{
	return find_command("live");
}

/* Finds the one option that means a command, and the command's operand. Returns its name, NULL if
 * there is none, or "" after a message if there are several. */
static const char *option_as_command(const struct settings *s, const char **operand)
{
	const struct {
		const char *name;
		bool is_given;
		const char *operand;
	} option[] = {
		{ "top", s->top > 0, s->top ? xasprintf("%u", s->top) : NULL },
		{ "tree", s->tree, NULL },
		{ "leaks", s->leaks, s->places ? xasprintf("%u", s->places) : NULL },
		{ "growth", s->growth, s->growth && *s->growth ? s->growth : NULL },
		{ "temporary", s->temporary,
		  s->places ? xasprintf("%u", s->places) : NULL },
		{ "html", s->html, s->html },
		{ "record", s->record, s->record && *s->record ? s->record : NULL },
	};
	const char *found = NULL;

	for (size_t i = 0; i < sizeof(option) / sizeof(*option); i++) {
		if (!option[i].is_given)
			continue;
		if (found) {
			warn("--%s and --%s: give one of them with --pid", found, option[i].name);
			return "";
		}
		found = option[i].name;
		*operand = option[i].operand;
	}
	return found;
}

/* Options end at the command, but users type this one behind it, too. Returns the words without
 * it. */
static char **skip_once(struct remote *r)
{
	char **words = r->settings->command;

	r->once = r->settings->once;
	if (*words && words[1] && strcmp(words[1], "--once") == 0) {
		r->once = true;
		words[1] = words[0];
		words++;
	}
	return words;
}

/* Takes the last word away if it is the name of a file, which has a point or a slash: other words
 * have none. Returns it, or NULL. */
static const char *take_file_name(char **words)
{
	char *last = NULL;

	while (*words)
		last = *words++;
	if (!last || !strpbrk(last, "./"))
		return NULL;
	*--words = NULL;
	return last;
}

/* The program that makes the report would speak of an option, which the user did not give. */
static int check_places(const struct remote *r)
{
	const struct remote_command *c = r->command;
	unsigned int places;

	if (!r->operand || !c->operand || strcmp(c->operand, "N") != 0 ||
	    settings_parse_places(r->operand, &places))
		return 0;
	warn("%s: '%s' is not a number of places: say memusage --pid=%d %s 5, or %s alone for 10",
	     c->name, r->operand, (int)r->pid, c->name, c->name);
	return -1;
}

/* An option that is given too late would be the name of a file. */
static int check_operand(const struct remote *r)
{
	const struct remote_command *c = r->command;

	if (r->operand ? *r->operand == '\0' : c->needs_operand) {
		warn(r->operand ? "%s: the %s is empty" : "%s: which %s?", c->name,
		     c->file ? "file name" : "operand");
		return -1;
	}
	if (r->operand && c->is_pattern && strncmp(r->operand, "--", 2) == 0) {
		warn("%s: options come before it: memusage --pid=%d %s %s; a file of this name is "
		     "./%s",
		     c->name, (int)r->pid, r->operand, c->name, r->operand);
		return -1;
	}
	return check_places(r);
}

int remote_command_choose(struct remote *r)
{
	char **words = skip_once(r);
	const char *option = option_as_command(r->settings, &r->operand);

	if (option && !*option)
		return -1;
	if (option && *words) {
		warn("--%s and the command %s: give one of them", option, *words);
		return -1;
	}
	r->command = find_command(option ? option : *words ? *words : "status");
	if (!r->command)
		return -1;
	r->words = *words ? words + 1 : words;
	if (r->command->takes_words)
		r->operand = r->command->is_pattern ? take_file_name(r->words) : NULL;
	else if (!option)
		r->operand = *r->words;
	r->makes_leak_tree = r->command->run == remote_leaks_run &&
			     remote_leaks_find_tree(r->words);
	if (r->makes_leak_tree && !r->operand)
		r->operand = REMOTE_LEAKS_TREE;
	if (*words && words[1] && !r->command->takes_words && (!r->command->operand || words[2])) {
		warn("%s takes %s", r->command->name,
		     r->command->operand ? "at most one operand" : "no operand");
		return -1;
	}
	if (r->once && r->command->run != remote_live_run) {
		warn("--once is for the command live: memusage --pid=%d live --once", (int)r->pid);
		return -1;
	}
	return check_operand(r);
}
