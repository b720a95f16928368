/* gate_names.c -- What --ci takes: "FORMAT" or "FORMAT:FILE".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_names.h"

#include <stdio.h>
#include <string.h>

static const char *const names[GATE_FORMATS] = {
	"github", "gitlab", "junit", "sarif", "markdown", "json", "openmetrics",
};

static void write_names(char *buffer, size_t size, const char *separator)
{
	size_t length = 0;

	*buffer = '\0';
	for (size_t i = 0; i < GATE_FORMATS && length < size; i++)
		length += (size_t)snprintf(buffer + length, size - length, "%s%s",
					   i > 0 ? separator : "", names[i]);
}

const char *gate_names_parse(const char *text, enum gate_format *format, const char **file)
{
	static char why[256] = "is none of ";
	const size_t length = strcspn(text, ":"), start = strlen("is none of ");
	unsigned int i = 0;

	while (i < GATE_FORMATS &&
	       (strlen(names[i]) != length || strncmp(names[i], text, length) != 0))
		i++;
	if (i == GATE_FORMATS) {
		write_names(why + start, sizeof(why) - start, ", ");
		return why;
	}
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

void gate_names_words(char *buffer, size_t size)
{
	write_names(buffer, size, "|");
}
