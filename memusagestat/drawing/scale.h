/* scale.h -- Converts bytes and times to pixels, exactly and fast.
 *
 * A pixel is floor(value * pixels / maximum), as glibc's memusagestat computes it, but without
 * its overflow for values above 2^64 / pixels. A division costs more than everything else that
 * is done with an event, so each scale remembers its last result.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

struct scale {
	uint64_t maximum;	/* the value that is drawn at `pixels` */
	unsigned pixels;
	double factor;
	uint64_t last;		/* value of the last call, and its result */
	unsigned last_pixel;
};

/* scale_divide -- Returns floor(value * factor / divisor) without overflow; divisor is not 0. */
static inline uint64_t scale_divide(uint64_t value, uint64_t factor, uint64_t divisor)
{
	uint64_t product;

	if (!__builtin_mul_overflow(value, factor, &product))
		return product / divisor;
	return (uint64_t)((unsigned __int128)value * factor / divisor);
}

/* scale_init -- Begins a scale that draws MAXIMUM at PIXELS < 2^16. If MAXIMUM is 0, all is
 * pixel 0. */
static inline void scale_init(struct scale *s, uint64_t maximum, unsigned pixels)
{
	*s = (struct scale){
		.maximum = maximum, .pixels = pixels,
		.factor = maximum ? pixels / (double)maximum : 0,
	};
}

/* scale_pixel -- Returns floor(value * pixels / maximum); larger values count as the maximum.
 *
 * The estimate in floating point is off by less than 2^-34 (three roundings of 2^-53 below
 * 2^16), so only a result that close to a whole number is divided exactly.
 */
static inline unsigned scale_pixel(struct scale *s, uint64_t value)
{
	const double slack = 1e-9;
	double estimate;

	if (value == s->last)
		return s->last_pixel;
	s->last = value;
	if (value >= s->maximum) {
		s->last_pixel = s->maximum ? s->pixels : 0;
		return s->last_pixel;
	}
	estimate = (double)value * s->factor;
	s->last_pixel = (unsigned)(estimate + slack);
	if ((unsigned)(estimate + 1 - slack) != s->last_pixel + 1)
		s->last_pixel = (unsigned)scale_divide(value, s->pixels, s->maximum);
	return s->last_pixel;
}
