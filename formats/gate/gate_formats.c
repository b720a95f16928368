/* gate_formats.c -- The formats in which continuous integration takes what a gate found.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_formats.h"

gate_write_fn gate_formats_find(enum gate_format format)
{
	static const gate_write_fn writers[GATE_FORMATS] = {
		[GATE_GITHUB] = gate_write_github,
		[GATE_GITLAB] = gate_write_gitlab,
		[GATE_JUNIT] = gate_write_junit,
		[GATE_SARIF] = gate_write_sarif,
		[GATE_MARKDOWN] = gate_write_markdown,
		[GATE_JSON] = gate_write_json,
		[GATE_OPENMETRICS] = gate_write_openmetrics,
	};

	return writers[format];
}
