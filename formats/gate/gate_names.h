/* gate_names.h -- What --ci takes: "FORMAT" or "FORMAT:FILE".
 *
 * Apart from the writers, because memusage checks the option and links none of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

enum gate_format {
	GATE_GITHUB,		/* annotates the log of a job, so it has no file */
	GATE_GITLAB,
	GATE_JUNIT,
	GATE_SARIF,
	GATE_MARKDOWN,
	GATE_JSON,
	GATE_OPENMETRICS,
	GATE_FORMATS
};

/* In that order; also for --help, from which completions come. */
#define GATE_NAMES_WORDS "github|gitlab|junit|sarif|markdown|json|openmetrics"

/* gate_names_parse -- Parses the argument of --ci.
 *
 * format  set to it.
 * file    set to the name of its file, a part of TEXT; NULL: none is given.
 * Returns NULL, or why TEXT is refused; the text is static.
 */
const char *gate_names_parse(const char *text, enum gate_format *format, const char **file);

/* gate_names_same_file -- Finds two values of --ci that name the same file, of which one would be
 * lost.
 *
 * Returns the file; NULL: there are none.
 */
const char *gate_names_same_file(const char *const *ci, size_t count);
