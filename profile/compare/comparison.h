/* comparison.h -- The stacks of two runs of a program, or of two builds of it, as one profile.
 *
 * A stack is the same in both if it has the same functions, by name and module; addresses and lines
 * do not count, nor does it matter which calls are inlined. A module that has the same build-id in
 * both is compared by address, which also tells lines of a function apart. A stack that only one
 * side has is then looked for under another name (renames.h) and at another place of the tree
 * (moved.h).
 *
 *	struct comparison c;
 *
 *	comparison_init(&c, side);
 *	comparison_weigh(&c, SIDE_OLD, weight_of_old_sites, old, NULL);
 *	comparison_weigh(&c, SIDE_NEW, weight_of_new_sites, new, NULL);
 *	comparison_change(&c, old, new, change, NULL);
 *	top_build(&t, &c.filter, change, ...);
 *	comparison_free(&c);
 *
 * Every site of either side is one of the common profile, so sums agree whatever was matched.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/compare/moved.h"
#include "profile/compare/side.h"
#include "profile/model/filter.h"
#include "profile/model/profile.h"
#include "profile/read/site_errors.h"

/* A function with another name in the new build. */
struct comparison_rename {
	const char *old, *new;	/* short names */
};

struct comparison {
	struct profile profile;	/* names and lines of the new side, or of the old one where only
				 * that has them. Its sites have no figures */
	struct filter filter;	/* of the profile: keeps all frames */
	uint32_t *site[SIDES];	/* by site of a side: that of the profile, or UINT32_MAX if the
				 * filter of the side ignores it */
	uint32_t sites[SIDES];	/* of each side */
	uint8_t *match;		/* by site of the profile: enum match */
	struct comparison_rename *rename;
	uint32_t renames;
	struct strings texts;	/* private: of renames */
};

/* How much of the memory of both sides is at places that both have; each part is of the sum of both
 * sides. */
struct comparison_share {
	double path, folded, moved;
	bool has_any;		/* false: both sides weigh nothing */
};

/* comparison_init -- Matches the stacks of two sides.
 *
 * c     overwritten; not to be moved; comparison_free() it.
 * side  the old and the new one; not needed afterwards.
 * Cost as call_trie_init() and moved_find().
 */
void comparison_init(struct comparison *c, const struct compare_side side[SIDES]);

/* comparison_weigh -- Adds up the weights of a side by site of the common profile.
 *
 * from   one per site of the side; less than nothing counts as nothing.
 * to     one per site of the profile, overwritten. Its errors are entries of ERROR.
 * error  one per site of the profile, overwritten; NULL: FROM has none.
 */
void comparison_weigh(const struct comparison *c, enum side side, const struct weight *from,
		      struct weight *to, struct sampled_error *error);

/* comparison_change -- Computes new less old for each site of the profile.
 *
 * change  overwritten.
 * error   one per site, overwritten, for the errors of the changes; NULL: none is known.
 */
void comparison_change(const struct comparison *c, const struct weight *old,
		       const struct weight *new, struct weight *change,
		       struct sampled_error *error);

/* comparison_matched -- Computes which part of the bytes was found on both sides. */
struct comparison_share comparison_matched(const struct comparison *c, const struct weight *old,
					   const struct weight *new);

/* comparison_free -- Releases everything. Fine for a zeroed struct. */
void comparison_free(struct comparison *c);
