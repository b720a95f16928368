/* sampled_peak.h -- The least that a peak can have been of which only an estimate is known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/read/site_errors.h"

/* sampled_peak_low -- Computes the lower limit of a peak, with a probability of 97.5 %.
 *
 * A peak of estimates is that of a noisy curve: it is as high as the noise of the whole run ever
 * was. The limit of sampled_bytes_interval() is right at one moment only.
 * e         of the peak: the sum of the errors of all sites.
 * samples   that the run had in all, those of the peak included.
 * estimate  of the peak; its standard limit is LOW, which is returned if no other samples came.
 * Source: P(most samples >= n) <= P(N >= n) + A P(N = n - 1), where N has a Poisson distribution,
 * and A is how many samples came besides: each may be the one that makes n - 1 of them n.
 */
double sampled_peak_low(const struct sampled_error *e, double samples, double estimate, double low);
