/* triggers.c -- The options of automatic snapshots.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/triggers.h"

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/units.h"
#include "cli/xmalloc.h"

void triggers_reset(struct trigger_settings *t)
{
	*t = (struct trigger_settings){ .file = "massif.vgdb.out.%p.%n" };
}

bool triggers_wanted(const struct trigger_settings *t)
{
	return t->signal || t->count > 0;
}

bool triggers_watches(const struct trigger_settings *t, enum mu_watch kind)
{
	for (unsigned int i = 0; i < t->count; i++) {
		if (MU_WATCH_KIND(t->watch[i]) == kind)
			return true;
	}
	return false;
}

/* ---- the signal -------------------------------------------------------------------------- */

/* Excludes signals that the kernel, the terminal or kill(1) send for their default action, which
 * would be lost. */
static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 }, { "HUP", SIGHUP },	 { "QUIT", SIGQUIT },
	{ "URG", SIGURG },   { "IO", SIGIO },	  { "POLL", SIGPOLL },	 { "PWR", SIGPWR },
	{ "WINCH", SIGWINCH }, { "STKFLT", SIGSTKFLT },
};

/* Parses RTMIN, RTMIN+3, RTMAX and RTMAX-3. Returns 0 for any other name. */
static int parse_real_time_signal(const char *name)
{
	bool is_low = strncasecmp(name, "RTMIN", 5) == 0;
	uint64_t distance = 0;

	if (!is_low && strncasecmp(name, "RTMAX", 5) != 0)
		return 0;
	if (name[5] && (name[5] != (is_low ? '+' : '-') ||
			!units_parse_count(name + 6, &distance)))
		return 0;
	if (distance > (uint64_t)(SIGRTMAX - SIGRTMIN))
		return 0;
	return is_low ? SIGRTMIN + (int)distance : SIGRTMAX - (int)distance;
}

static int parse_signal(const char *text)
{
	const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
	uint64_t number = 0;

	if (units_parse_count(text, &number) && number >= (uint64_t)SIGRTMIN &&
	    number <= (uint64_t)SIGRTMAX)
		return (int)number;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		if (strcasecmp(name, signals[i].name) == 0 ||
		    number == (uint64_t)signals[i].number)
			return signals[i].number;
	}
	return parse_real_time_signal(name);
}

const char *triggers_signal(const struct opt *option, const char *arg, void *data)
{
	struct trigger_settings *t = data;
	int number = parse_signal(arg);

	if (!number)
		return "is not a signal that programs may use freely: choose USR1, USR2, HUP, "
		       "QUIT, IO, PWR, URG, WINCH, or RTMIN to RTMAX";
	t->signal = number;
	return NULL;
}

/* ---- conditions -------------------------------------------------------------------------- */

static const char *const quantities[] = {
	[MU_WATCH_HEAP] = "heap",     [MU_WATCH_TOTAL] = "total",
	[MU_WATCH_STACKS] = "stacks", [MU_WATCH_RSS] = "rss",
	[MU_WATCH_BLOCKS] = "blocks", [MU_WATCH_CGROUP] = "cgroup",
};

static enum mu_watch find_quantity(const char *text, size_t length)
{
	for (enum mu_watch kind = MU_WATCH_HEAP; kind <= MU_WATCH_CGROUP; kind++) {
		if (strlen(quantities[kind]) == length &&
		    strncmp(quantities[kind], text, length) == 0)
			return kind;
	}
	return MU_WATCH_NONE;
}

/* Suffixes of a count of blocks are powers of 1000. */
static bool parse_count(const char *text, uint64_t *value)
{
	static const char suffixes[] = "kmgt";
	size_t length = strlen(text);
	const char *suffix = length > 1 ? strchr(suffixes, text[length - 1] | 0x20) : NULL;
	char *digits = xstrndup(text, suffix ? length - 1 : length);
	bool ok = units_parse_count(digits, value);

	for (long i = suffix ? suffix - suffixes : -1; ok && i >= 0; i--)
		ok = !__builtin_mul_overflow(*value, UINT64_C(1000), value);
	free(digits);
	return ok;
}

/* "90%" */
static bool parse_percent(const char *text, uint64_t *value)
{
	size_t length = strlen(text);
	char *digits;
	bool ok;

	if (length < 2 || text[length - 1] != '%')
		return false;
	digits = xstrndup(text, length - 1);
	ok = units_parse_count(digits, value) && *value >= 1 && *value <= 99;
	free(digits);
	return ok;
}

static const char *parse_condition(const char *arg, uint64_t *word)
{
	size_t length = strcspn(arg, ">:");
	enum mu_watch kind = find_quantity(arg, length);
	uint64_t value = 0;

	if (kind == MU_WATCH_NONE)
		return "names no quantity: use heap, total, stacks, rss, blocks or cgroup, as in "
		       "'heap>500M'";
	if (arg[length] == '\0')
		return "has no threshold: quote it as in 'heap>500M', since > redirects output in "
		       "a shell, or write heap:500M";
	if (kind == MU_WATCH_CGROUP) {
		if (!parse_percent(arg + length + 1, &value))
			return "has an invalid threshold: use a part of the memory limit from 1% "
			       "to 99%, as in 'cgroup>90%'";
		*word = MU_WATCH_WORD(kind, value);
		return NULL;
	}
	if (kind == MU_WATCH_BLOCKS ? !parse_count(arg + length + 1, &value) :
				      !units_parse_size(arg + length + 1, &value))
		return "has an invalid threshold: use a whole number, optionally followed by k, M, "
		       "G or T";
	if (value >= UINT64_C(1) << 60)
		return "has a threshold that no process can reach";
	*word = MU_WATCH_WORD(kind, value);
	return NULL;
}

const char *triggers_when(const struct opt *option, const char *arg, void *data)
{
	struct trigger_settings *t = data;
	uint64_t word = 0;
	const char *why = parse_condition(arg, &word);

	if (why)
		return why;
	if (t->count == MU_WATCHES)
		return "is one condition too many: seven are possible";
	t->watch[t->count] = word;
	t->when[t->count++] = arg;
	return NULL;
}
