/* gate_ci.h -- Writes what a gate found for continuous integration.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/gate/gate.h"
#include "memusageprint/job/settings.h"

/* gate_ci_takes_output -- Tells whether a format without a file takes the place of the text. */
bool gate_ci_takes_output(const struct settings *settings);

/* gate_ci_root -- Returns the directory to which paths in the formats are relative: that of the
 * sources as GitHub or GitLab name it, or else the current one. The caller frees it. */
char *gate_ci_root(void);

/* gate_ci_put -- Writes what goes to the output of the report: the format that takes the place of
 * the text, or, below the text, annotations for GitHub.
 *
 * text  the stream of the report.
 */
void gate_ci_put(FILE *text, const struct gate *g, const struct settings *settings);

/* gate_ci_write_files -- Writes the formats that have a file, and the summary of GitHub's step.
 *
 * Returns 0, or -1 after a warning.
 */
int gate_ci_write_files(const struct gate *g, const struct settings *settings);
