/* pprof_text.h -- A profile of now as text, for people and for pprof.
 *
 * The form is that of gperftools' heap profiles, which Go serves for ?debug=1: a line for each
 * place with blocks and bytes that are live, those ever allocated in brackets, and the addresses of
 * the call stack; below it a comment for each function.
 *
 * Source github.com/google/pprof, profile/legacy_profile.go, of 2024, parseHeap().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/pprof/pprof.h"

/* pprof_text_write -- Writes the profile. Errors of OUT stay with it. */
void pprof_text_write(FILE *out, const struct pprof_now *now);
