/* places.h -- Finds the sites that a condition is about.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/budget/condition.h"
#include "profile/model/filter.h"

/* places_select -- Finds the sites whose memory counts.
 *
 * c         "at FUNCTION": the name of any frame, in full or without namespaces, parameters and
 *           what compilers add; "in MODULE": a program's or library's path, its name, or that
 *           without a version.
 * complete  of the profile with all frames.
 * shown     of the one without those of run-times: its innermost frame decides which module
 *           allocates. The sites of both are the same.
 * selected  one per site, overwritten: 1 if it counts.
 * Returns how many functions or modules fit; -1 without memory for the regular expression.
 */
int places_select(const struct condition *c, const struct filter *complete,
		  const struct filter *shown, uint8_t *selected);
