/* speedscope.h -- Writes the file format of speedscope, a viewer of flame graphs in the browser.
 *
 *	{"$schema":"https://www.speedscope.app/file-format-schema.json",
 *	 "name":"./prog","exporter":"memusage 0.1","activeProfileIndex":0,
 *	 "profiles":[{"type":"sampled","name":"live at the peak","unit":"bytes","startValue":0,
 *	              "endValue":4096,"samples":[[0,1]],"weights":[4096]}],
 *	 "shared":{"frames":[{"name":"main","file":"/src/a.c","line":3}]}}
 *
 * Source the schema that npm's package speedscope 1.25.0 contains.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/export.h"

/* speedscope_write -- Writes what was live at the peak and at the end, and all allocations, by
 * bytes and by blocks.
 *
 * A profile without anything is left out. Errors of OUT stay with it.
 */
void speedscope_write(FILE *out, const struct export *e);
