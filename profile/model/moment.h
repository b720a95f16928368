/* moment.h -- Moments of a run, and what grew between two of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"
#include "profile/read/site_errors.h"
#include "profile/read/sites.h"

enum moment_kind { MOMENT_START, MOMENT_SNAPSHOT, MOMENT_PEAK, MOMENT_END };

/* A moment at which the bytes of every site are known. */
struct moment {
	enum moment_kind kind;
	uint64_t snapshot;	/* of MOMENT_SNAPSHOT */
	uint64_t ns;		/* since the start of the process */
	uint64_t asked_ns;	/* the time that was asked for, of which this moment is nearest */
};

/* Growth is what is live at TO less what was live at FROM. */
struct growth_range {
	struct moment from, to;
};

/* moment_find -- Finds the known moment nearest to the one that TEXT names.
 *
 * text   "start", "peak", "end" or "now"; the number of a snapshot; a time since the start as
 *        reports print it ("1.20 s", "1h 2min"); or the name of a mark, also as "mark:NAME".
 * until  asked time of a moment: of several marks of that name the last one before it is meant;
 *        UINT64_MAX: the last of all.
 * Returns 0, or -1 with ERR if there is no such moment. Cost O(snapshots + marks).
 */
int moment_find(struct moment *m, const struct image *im, const char *text, uint64_t until,
		struct mu_error *err);

/* moment_choose_end -- Chooses where growth ends if the user does not say.
 *
 * from  where it begins, or NULL if the user does not say that either.
 * It is the end, or the peak if the process ended normally and less than half of that is left,
 * since many programs free their memory when they end. The processes of a merge did not end
 * together: there it is the peak, or the last moment that is known of all places.
 */
void moment_choose_end(struct moment *m, const struct image *im, const struct moment *from);

/* moment_choose_start -- Chooses where growth begins if the user does not say: in the middle of the
 * time until TO, so that what a program allocates once at its start does not count. */
void moment_choose_start(struct moment *m, const struct image *im, const struct moment *to);

/* moment_choose_range -- Chooses both, if the user says neither. */
void moment_choose_range(struct growth_range *g, const struct image *im);

/* moment_kind_name -- Returns "start", "snapshot", "peak" or "end", for formats. */
const char *moment_kind_name(enum moment_kind kind);

/* moment_growth -- Computes by how much every site grew; less than nothing: it shrank.
 *
 * weight  one per site; is_there is set for those that had memory at one of the moments.
 * Weights have no errors: see moment_growth_errors().
 * Returns 0, or -1 with ERR: a snapshot is damaged.
 */
int moment_growth(const struct sites *s, const struct image *im, const struct growth_range *g,
		  struct weight *weight, struct mu_error *err);

/* moment_growth_errors -- Sets the errors of the weights that moment_growth() computed.
 *
 * e      from site_errors_load().
 * error  one per site, overwritten; the weights refer to it. It is the sum of the errors at both
 *        moments, and so too large for a place whose blocks live at both.
 * Returns 0, or -1 with ERR: a snapshot is damaged.
 */
int moment_growth_errors(const struct sites *s, const struct image *im,
			 const struct growth_range *g, const struct site_errors *e,
			 struct weight *weight, struct sampled_error *error, struct mu_error *err);
