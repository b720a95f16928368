/* grep.h -- reports of some of the stacks only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_GREP_H
#define MEMUSAGEPRINT_TEXT_GREP_H

#include "memusageprint/job/report_subject.h"

/* grep_weights -- take the weight from sites without TEXT on their stack.
 *
 * s     after report_subject_weigh().
 * text  part of a function's name, of its source file's, or of its object's, as they are, not
 *       shortened; NULL: all sites keep their weight.
 * Cost O(names of all places, and frames of all stacks).
 */
void grep_weights(struct report_subject *s, const char *text);

#endif
