/* units.h -- numbers as people write and read them.
 *
 * Sizes are binary: 1 K is 1024 bytes, written "KiB" on output.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Big enough for whatever the functions below write, with the final zero. */
enum { UNITS_LENGTH = 32 };

/* units_parse_count -- a whole decimal number, nothing before or after it.
 *
 * Returns false, leaving *VALUE, for signs, blanks, an empty text or more than 64 bits.
 */
bool units_parse_count(const char *text, uint64_t *value);

/* units_parse_size -- a number of bytes: 4096, 64K, 256M, 1G, 2T, also 64KiB and 64kB.
 *
 * Suffixes are powers of 1024 in either case; "B" alone is allowed, fractions are not.
 * Returns false, leaving *VALUE, when the text is anything else or exceeds 64 bits.
 */
bool units_parse_size(const char *text, uint64_t *value);

/* units_bytes -- BYTES with three significant digits: "812 B", "4.00 KiB", "1.46 GiB".
 *
 * Rounded to nearest; the unit is the biggest that keeps the number at 1 or above.
 * Returns BUFFER.
 */
const char *units_bytes(char buffer[UNITS_LENGTH], uint64_t bytes);

/* units_bytes_unit -- Returns how many bytes the unit has in which units_bytes() writes BYTES.
 *
 * decimals  set to how many it writes.
 */
double units_bytes_unit(uint64_t bytes, int *decimals);

/* units_grouped -- VALUE with a comma every three digits, as ms_print writes it. */
const char *units_grouped(char buffer[UNITS_LENGTH], uint64_t value);

/* units_time -- NS nanoseconds with three significant digits: "850 ns", "1.20 ms", "73.0 s".
 *
 * Seconds are the biggest unit: 3 hours are "10800 s".
 */
const char *units_time(char buffer[UNITS_LENGTH], uint64_t ns);

/* units_duration -- as units_time(), but from two minutes on as clocks have it: "50 min 41 s",
 * "1 h 2 min", "12 min". Rounded to the second. */
const char *units_duration(char buffer[UNITS_LENGTH], uint64_t ns);

/* units_whole -- a number as an integer; below 0, beyond 64 bits, and NaN, as the nearest one. */
uint64_t units_whole(double value);
