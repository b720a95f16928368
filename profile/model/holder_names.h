/* holder_names.h -- Names of what holds the heap, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/model/profile.h"
#include "profile/read/holders.h"

/* A line of source code. */
struct holder_line {
	const char *file; /* path as the compiler had it, of the profile; NULL unknown */
	uint32_t line;	  /* 0 unknown */
};

/* Names of the roots and the types of some moments. */
struct holder_names {
	char **text;
	uint32_t count;	     /* texts: that of roots first, moment by moment, then of types */
	uint32_t *first;     /* per moment: number of its first root */
	struct holder_line *line; /* per root, by the number of its text */
	uint32_t *type;	     /* per site: number of the text, 0 none */
	uint32_t sites;
};

/* holder_names_init -- Finds the names of COUNT moments H of a profile with names.
 *
 * P must stay as long as the names.
 * A type is the class of a block that has virtual functions, or else what the standard library's
 * allocator was instantiated for: that is in the names of its functions.
 */
void holder_names_init(struct holder_names *n, const struct holders *h, uint32_t count,
		       const struct profile *p);

/* holder_names_root -- Returns the name of the variable or function of a root; "" if unknown. */
const char *holder_names_root(const struct holder_names *n, uint32_t moment, uint32_t root);

/* holder_names_line -- Returns the source line of a function that is a root. */
const struct holder_line *holder_names_line(const struct holder_names *n, uint32_t moment,
					    uint32_t root);

/* holder_names_type -- Returns the name of the type of a site's blocks; "" if unknown. */
const char *holder_names_type(const struct holder_names *n, uint32_t site);

/* holder_names_free -- Releases everything. Accepts a zeroed struct. */
void holder_names_free(struct holder_names *n);
