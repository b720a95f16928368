/* labels.h -- Formats the texts of glibc's graph.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* Enough for "18446744073709551615M". */
enum { LABEL_LENGTH = 24 };

/* The unit of an axis of bytes, chosen by its maximum. */
struct byte_unit {
	uint64_t bytes;		/* 1, 1024 or 1048576 */
	const char *suffix;	/* "", "k" or "M" */
};

/* label_unit -- Returns the unit of an axis that ends at MAXIMUM bytes.
 *
 * Source glibc memusagestat: plain numbers below 1 KiB, k below 100 MiB, M from there on.
 */
struct byte_unit label_unit(uint64_t maximum);

/* label_value -- Writes BYTES in UNIT, cut to a whole number: "2908k". Returns the length. */
int label_value(char text[LABEL_LENGTH], uint64_t bytes, struct byte_unit unit);

/* The unit of a time axis. */
struct time_unit {
	double ns;
	const char *name;	/* "s", "ms" or "us" */
};

/* label_time_unit -- Returns the largest of s, ms and us in which DURATION_NS, the whole run, is at
 * least 1, else us. */
struct time_unit label_time_unit(uint64_t duration_ns);

/* label_time -- Writes a tenth of the time axis: "0.52", "12.5", "1800".
 *
 * tenths  0 (the start of the run) to 10 (its end).
 * The number of decimals gives the end of the axis three digits. Returns the text's length.
 */
int label_time(char text[LABEL_LENGTH], uint64_t duration_ns, unsigned tenths);

/* label_title -- Returns TITLE in the character set of the fonts, ISO 8859-2.
 *
 * A title in UTF-8 is converted; '?' stands for characters that the fonts lack. Any other is taken
 * as ISO 8859-2 already. Control characters become blanks.
 * Returns memory for free(); dies if there is none.
 */
unsigned char *label_title(const char *title);
