/* site_errors.h -- how far the estimates of a sampled recording may be off.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/read/image.h"
#include "profile/read/sites.h"

/* The error of one figure: that of several sites is the sum of each field. */
struct sampled_error {
	double samples;		/* blocks that were recorded and are not exact */
	double exact_bytes;	/* the part of the estimate without error */
	double exact_blocks;
	double variance;	/* of the bytes, squared bytes */
	double block_variance;	/* of the number of blocks */
	double ever_blocks;	/* the estimate of all blocks ever, */
	double ever_recorded;	/* ... and how many of these were recorded */
	double most_bytes;	/* more cannot be there, with what is exact: all that the */
	double most_blocks;	/* process asked for; 0, infinite: unknown. A sum has that of its
				 * parts: all are of one process, or of one merge */
	bool is_sampled;	/* blocks may have been left out; false: all are exact */
	bool is_change;		/* the figure is a difference of two estimates */
	bool is_growth;		/* ... that is neither below 0 nor above most_bytes */
};

/* The errors of one site's figures. */
struct site_errors {
	struct sampled_error live, peak, total;
	double grown_distance;	/* the mean distance of samples now, if it has grown; 0 if not */
	int64_t live_bytes, peak_bytes;	/* of site_errors_sum(): the heap now, and its peak, */
	double sampled_ever;	/* ... and bytes that all samples ever stood for, an estimate */
};

/* The limits between which the true value is with a probability of 95 %. */
struct sampled_interval {
	double low, high;
};

/* The limits of a process, from its counters, which are exact: no place has more than that. A
 * realloc asks for the whole new size. */
struct sampled_most {
	double bytes, blocks;
};

/* sampled_most_in -- Returns the limits of a process, or of a merge of several.
 *
 * They are infinite if places have what the counters lack: blocks of a parent.
 * Cost O(threads).
 */
struct sampled_most sampled_most_in(const struct image *im);

/* sampled_most_live -- Returns the most bytes that the heap can have had at any moment: all that
 * the process asked for, and what it began with, from a parent or before an attach.
 *
 * Infinite if it is not known, or nothing was sampled. Cost O(threads).
 */
double sampled_most_live(const struct image *im);

/* site_errors_load -- read the errors of all sites.
 *
 * A site without sampled blocks, of mappings, is exact.
 * Returns one entry per site, to be freed; NULL if the recording is not sampled.
 * Cost O(cells).
 */
struct site_errors *site_errors_load(const struct sites *s, const struct image *im);

/* site_errors_load_own -- do the same for sites of sites_load_own(): without what a forked child
 * has from its parent. Live blocks may have negative errors there. */
struct site_errors *site_errors_load_own(const struct sites *s, const struct image *im);

/* site_errors_sum -- add up the errors of all sites that count.
 *
 * The sum is sampled also if no site has a sample: blocks may be there all the same.
 * Returns false if the recording is not sampled, or without memory; then SUM is all 0.
 */
bool site_errors_sum(struct site_errors *sum, const struct sites *s, const struct image *im);

/* site_errors_at_moment -- compute the error of the whole heap at a moment.
 *
 * sum    from site_errors_sum().
 * bytes  the estimate of that moment. If it is neither that of the peak nor of now, the sizes of
 *        the blocks are not known, and the error is the largest possible.
 */
struct sampled_error site_errors_at_moment(const struct site_errors *sum, int64_t bytes,
					   double distance);

/* site_errors_change -- compute the errors of what changed between two moments.
 *
 * now, earlier  from site_errors_sum() at both.
 * has_grown     the mean distance of samples was doubled in between.
 * Returns errors of differences; that of the peak is all 0.
 */
struct site_errors site_errors_change(const struct site_errors *now,
				      const struct site_errors *earlier, bool has_grown);

/* site_errors_since_fork -- compute the error of a figure without what a forked child has from its
 * parent.
 *
 * own        overwritten.
 * e          of the figure with it: one of site_errors_sum().
 * inherited  bytes of the heap at the fork; 0: the process was not forked, and OWN is E.
 * asked_for  bytes that the child has asked for itself.
 */
void site_errors_since_fork(struct sampled_error *own, const struct sampled_error *e,
			    double inherited, double asked_for, double distance);

/* sampled_mean_distance -- the mean number of bytes between two sampled blocks, R; 0: all blocks
 * were recorded. */
double sampled_mean_distance(const struct image *im);

/* sampled_bytes_interval, sampled_blocks_interval -- compute the interval of an estimate.
 *
 * Where no sample is left, the blocks that may be there are taken to be as large as the others that
 * the sites ever had. That of blocks of unknown size would be 3.7 R: half a million, of 1 byte.
 * estimate  of the sites whose errors `e` is the sum of.
 * distance  from sampled_mean_distance().
 * Source docs/format.md, section 7.4.
 */
struct sampled_interval sampled_bytes_interval(const struct sampled_error *e, double estimate,
					       double distance);
struct sampled_interval sampled_blocks_interval(const struct sampled_error *e, double estimate);

/* sampled_error_add -- add the error of a figure that is added to another. */
void sampled_error_add(struct sampled_error *to, const struct sampled_error *e);

/* sampled_error_swap -- exchange bytes and blocks of a weight and of its error, for a figure that
 * counts blocks.
 *
 * e  NULL: the weight is no estimate.
 */
void sampled_error_swap(struct weight *w, struct sampled_error *e);

/* site_errors_weigh -- set the errors of weights.
 *
 * e       from site_errors_load().
 * kind    what sites_weigh() was called for. Values at a snapshot, and temporary blocks, have their
 *         part of the error of all blocks of their site. If the distance of samples has grown, a
 *         snapshot may be of the time after that, when few samples were left of many: its error is
 *         then the larger one of that and of the present distance (docs/format.md, section 7.4).
 * weight  one per site; its error is set, to entries of ERROR.
 * error   one per site, overwritten.
 */
void site_errors_weigh(const struct sites *s, const struct site_errors *e, enum metric_kind kind,
		       struct weight *weight, struct sampled_error *error);

/* sampled_bytes_unseen -- Returns what a place of which no block was sampled has at most, with a
 * probability of 97.5 %, in bytes. */
double sampled_bytes_unseen(double distance);

/* sampled_bytes_unseen_in -- Returns the same of a place of one process, which has no more than all
 * that the process asked for and inherited; 0 if nothing was sampled. */
double sampled_bytes_unseen_in(const struct image *im);

/* sampled_bytes_within -- Returns an estimate of a whole heap, or the most that can be there if it
 * is more. Estimates of places are left as they are: their sums would be too low in the mean. */
double sampled_bytes_within(const struct sampled_error *e, double estimate);
