/* image_name.h -- The names of files that every process image of a recording gets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/report_subject.h"

/* image_name_make -- Returns the name of the file of an image, which no other image of the
 * recording gets.
 *
 * pattern  as in cli/output.h. Without %p in it the main process gets FILE, others get FILE.PID;
 *          the name of an image that was followed by another in the same process ends in .1, .2.
 * The caller frees it. Returns NULL after a warning.
 */
char *image_name_make(const struct report_subject *s, const struct settings *settings,
		      const char *pattern);
