/* budget_sampled_peak.c -- The lower limit of a sampled peak is below the true peak, however often
 * its blocks are replaced.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/sampled_peak.h"

#include <math.h>

#include "tests/lib/tap.h"

enum { RUNS = 400 };

static uint64_t state = 1;

static double random_part(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static struct sampled_error error_of(double samples)
{
	return (struct sampled_error){ .samples = samples, .variance = samples, .is_sampled = true };
}

/* Returns in how many runs the limit is above the truth: a heap of MEAN sampled blocks on average,
 * all of which are replaced TURNS times. */
static int count_misses(int mean, int turns)
{
	int misses = 0;

	for (int run = 0; run < RUNS; run++) {
		double peak = 0, samples = 0, live = 0, now = 0;
		struct sampled_error e;

		for (double p = exp(-mean), sum = p, u = random_part(); u > sum; sum += p)
			p *= mean / ++live;
		peak = samples = live;
		while (now < turns) {
			now -= log(random_part()) / (mean + live);
			if (random_part() * (mean + live) < mean) {
				live++;
				samples++;
			} else {
				live--;
			}
			peak = fmax(peak, live);
		}
		e = error_of(peak);
		misses += sampled_peak_low(&e, samples, peak,
					   sampled_bytes_interval(&e, peak, 1).low) > mean;
	}
	return misses;
}

static void check_turnover(void)
{
	static const struct {
		int mean, turns;
	} cases[] = { { 8, 0 }, { 8, 10 }, { 8, 300 }, { 30, 100 }, { 200, 20 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const int misses = count_misses(cases[i].mean, cases[i].turns);

		/* 2.5 % of them, and three standard deviations of that */
		OK(misses <= 20, "%d sampled blocks, replaced %d times: %d of %d runs",
		   cases[i].mean, cases[i].turns, misses, RUNS);
	}
}

static void check_limits(void)
{
	struct sampled_error e = error_of(100);
	const double standard = sampled_bytes_interval(&e, 100, 1).low;
	double last = standard;

	EQ_I((int)standard, 80);
	OK(sampled_peak_low(&e, 100, 100, standard) >= standard, "without other samples");
	for (double samples = 110; samples < 1e9; samples *= 10) {
		const double low = sampled_peak_low(&e, samples, 100, standard);

		OK(low < last && low > 30, "%.0f samples in all: %.1f", samples, low);
		last = low;
	}
	e.exact_bytes = 1000;
	OK(sampled_peak_low(&e, 1e6, 1100, 1080) >= 1000, "exact bytes are there");
	e.samples = 1;
	e.variance = 10000;
	EQ_I((int)sampled_peak_low(&e, 50, 1100, 1002), 1000);
	e.variance = 1e-12;
	OK(sampled_peak_low(&e, 1e6, 1100, 1099) > 1090, "hardly any error");
	e.variance = 0;
	EQ_I((int)sampled_peak_low(&e, 1e6, 1100, 1099), 1099);
}

int main(void)
{
	check_turnover();
	check_limits();
	return done_testing();
}
