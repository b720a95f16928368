/* sampled_peak.c -- The least that a peak can have been of which only an estimate is known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/sampled_peak.h"

#include <math.h>

#define BEYOND 0.025	/* probability that the true value is below the limit */

enum {
	STEPS = 50,		/* of a bisection */
	MOST = 10000000		/* samples; the limit of more is a little too low */
};

static double poisson(double n, double mean)
{
	return exp(n * log(mean) - mean - lgamma(n + 1));
}

/* Returns P(N >= n), for a mean below N. */
static double poisson_from(double n, double mean)
{
	double part = poisson(n, mean), sum = part;

	while (part > sum * 1e-6) {
		n += 1;
		part *= mean / n;
		sum += part;
	}
	return sum;
}

/* Returns the largest mean at which N samples at once, of OTHERS more, are improbable. */
static double least_mean(double n, double others)
{
	double low = 0, high = n - 1;

	for (int i = 0; i < STEPS; i++) {
		const double mean = (low + high) / 2;

		if (poisson_from(n, mean) + others * poisson(n - 1, mean) > BEYOND)
			high = mean;
		else
			low = mean;
	}
	return low;
}

/* The estimate is as uncertain as a count of N is; blocks of several sizes make it less than there
 * are samples. */
double sampled_peak_low(const struct sampled_error *e, double samples, double estimate, double low)
{
	const double rest = estimate - e->exact_bytes, others = samples - e->samples;
	double n;

	if (!(rest > 0) || !(others > 0) || !(e->variance > 0))
		return low;
	n = fmin(rest * rest / e->variance, MOST);
	if (n <= 1)
		return fmin(low, e->exact_bytes);
	return fmin(low, e->exact_bytes + rest * least_mean(n, others) / n);
}
