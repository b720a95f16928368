/* gate_names.c -- What --ci takes: "FORMAT" or "FORMAT:FILE".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_names.h"

#include <stdio.h>
#include <string.h>

/* Returns which of the words is the first LENGTH bytes of TEXT; GATE_FORMATS: none. */
static unsigned int find_format(const char *text, size_t length)
{
	const char *word = GATE_NAMES_WORDS;
	unsigned int i = 0;

	while (strcspn(word, "|") != length || strncmp(word, text, length) != 0) {
		word += strcspn(word, "|");
		if (++i == GATE_FORMATS)
			break;
		word++;
	}
	return i;
}

static const char *describe_unknown(void)
{
	static char why[128];
	const char *word = GATE_NAMES_WORDS;
	size_t length = (size_t)snprintf(why, sizeof(why), "is none of ");

	for (; *word && length + 3 < sizeof(why); word++) {
		if (*word == '|')
			why[length++] = ',';
		why[length++] = *word == '|' ? ' ' : *word;
	}
	why[length] = '\0';
	return why;
}

const char *gate_names_parse(const char *text, enum gate_format *format, const char **file)
{
	const size_t length = strcspn(text, ":");
	const unsigned int i = find_format(text, length);

	if (i == GATE_FORMATS)
		return describe_unknown();
	*format = (enum gate_format)i;
	*file = text[length] == ':' ? text + length + 1 : NULL;
	if (*file && **file == '\0')
		return "has no name of a file";
	return *file && i == GATE_GITHUB ? "annotates the log of a job, which has no file" : NULL;
}

const char *gate_names_same_file(const char *const *ci, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *file = strchr(ci[i], ':');

		for (size_t k = 0; file && k < i; k++) {
			const char *other = strchr(ci[k], ':');

			if (other && strcmp(file, other) == 0)
				return file + 1;
		}
	}
	return NULL;
}
