/* push_options.c -- The options of --push.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/options/push_options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/utf8.h"

/* Servers refuse what is older than an hour. */
enum { INTERVAL_MIN_MS = 100, INTERVAL_MAX_MS = 1800000 };

const char *push_interval_option(const struct opt *option, const char *arg, void *data)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = { { "", 1000 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "min", 60000 } };
	struct push_options *o = data;
	char *end;
	double number = strtod(arg, &end);

	if (end == arg || !(number >= 0))
		return "a time is a number with ms, s or m behind it";
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		number *= units[i].ms;
		if (number < INTERVAL_MIN_MS || number > INTERVAL_MAX_MS)
			return "it must be from 100ms to 30m";
		o->interval_ms = (unsigned int)number;
		return NULL;
	}
	return "a time is a number with ms, s or m behind it";
}

static const char *check_name(const char *name, size_t length, const struct push_options *o)
{
	char *own = xstrndup(name, length), *safe = xstrdup(own);
	const char *why = NULL;

	push_label_name(safe);
	if (length == 0 || strcmp(own, safe) != 0)
		why = "a name has letters, digits and '_', and no digit first";
	else if (strncmp(own, "__", 2) == 0)
		why = "names that begin with __ are the server's";
	for (size_t i = 0; !why && i < o->labels; i++) {
		if (strcmp(o->label[i].name, own) == 0)
			why = "this name was given before";
	}
	free(own);
	free(safe);
	return why;
}

const char *push_label_option(const struct opt *option, const char *arg, void *data)
{
	struct push_options *o = data;
	const char *equals = strchr(arg, '='), *why;
	const size_t length = equals ? (size_t)(equals - arg) : 0;

	if (!equals)
		return "a label is KEY=VALUE";
	why = check_name(arg, length, o);
	if (why)
		return why;
	if (equals[1] == '\0')
		return "a label needs a value";
	if (length == strlen("service_name") && strncmp(arg, "service_name", length) == 0) {
		o->service = equals + 1;
		return NULL;
	}
	if (o->labels == PUSH_LABELS_MAX)
		return "there may be 24 labels";
	o->label[o->labels++] = (struct push_text){ xstrndup(arg, length),
						    utf8_clean(equals + 1, "") };
	return NULL;
}
