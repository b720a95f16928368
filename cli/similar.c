/* similar.c -- Find the word that the user may have meant.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/similar.h"

#include <string.h>

unsigned int similar_limit(size_t length)
{
	return length < 6 ? (unsigned int)length / 3 + 1 : 3;
}

unsigned int similar_distance(const char *a, size_t length, const char *b)
{
	enum { LETTERS = 40 };
	unsigned char d[LETTERS + 1][LETTERS + 1];
	size_t other = strlen(b);

	if (length > LETTERS || other > LETTERS)
		return 99;
	for (size_t i = 0; i <= length; i++) {
		for (size_t j = 0; j <= other; j++) {
			unsigned int best = (unsigned int)(i + j);

			if (i > 0 && j > 0)
				best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (i > 0 && d[i - 1][j] + 1u < best)
				best = d[i - 1][j] + 1u;
			if (j > 0 && d[i][j - 1] + 1u < best)
				best = d[i][j - 1] + 1u;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1u < best)
				best = d[i - 2][j - 2] + 1u;
			d[i][j] = (unsigned char)best;
		}
	}
	return d[length][other];
}
