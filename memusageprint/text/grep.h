/* grep.h -- Restricts reports to stacks with a text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_GREP_H
#define MEMUSAGEPRINT_TEXT_GREP_H

#include "memusageprint/job/report_subject.h"

/* grep_weights -- Removes the weights of sites without TEXT on their stack.
 *
 * s     after report_subject_weigh().
 * text  a part of the full name of a function, source file or object; NULL: all sites keep their
 *       weight.
 * Cost O(names of all places + frames of all stacks).
 */
void grep_weights(struct report_subject *s, const char *text);

#endif
