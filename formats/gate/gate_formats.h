/* gate_formats.h -- The formats in which continuous integration takes what a gate found.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/gate/gate.h"
#include "formats/gate/gate_names.h"

/* Writes it. OUT keeps its errors. */
typedef void (*gate_write_fn)(FILE *out, const struct gate *g);

/* gate_formats_find -- Returns what writes a format. */
gate_write_fn gate_formats_find(enum gate_format format);

/* gate_write_github -- Writes workflow commands: an annotation for each broken condition, at the
 * line that allocates most.
 *
 * Source docs.github.com, "Workflow commands for GitHub Actions", setting an error message.
 */
void gate_write_github(FILE *out, const struct gate *g);

/* gate_write_gitlab -- Writes a report of code quality: an array of issues.
 *
 * Source docs.gitlab.com, "Code Quality", report format.
 */
void gate_write_gitlab(FILE *out, const struct gate *g);

/* gate_write_junit -- Writes a test suite in JUnit's XML: each condition is a test.
 *
 * Source the elements that Jenkins' plugin for JUnit and GitLab read.
 */
void gate_write_junit(FILE *out, const struct gate *g);

/* gate_write_sarif -- Writes a log of SARIF 2.1.0.
 *
 * Source OASIS, Static Analysis Results Interchange Format 2.1.0.
 */
void gate_write_sarif(FILE *out, const struct gate *g);

/* gate_write_markdown -- Writes a table, and the places of broken conditions.
 *
 * Source GitHub Flavored Markdown, tables.
 */
void gate_write_markdown(FILE *out, const struct gate *g);

/* gate_write_json -- Writes all that is known as one object, of docs/json.schema.json. */
void gate_write_json(FILE *out, const struct gate *g);

/* gate_write_openmetrics -- Writes the figures and their limits.
 *
 * Source OpenMetrics 1.0.
 */
void gate_write_openmetrics(FILE *out, const struct gate *g);
