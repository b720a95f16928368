/* dhat_number.h -- Numbers as DHAT's viewer shows them.
 *
 * A browser rounds the shortest decimal number that is read back as the value, half away from
 * zero. printf() rounds the exact value, and its last digit sometimes differs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

enum { DHAT_NUMBER_LENGTH = 448 };	/* of the largest double, with commas */

/* dhat_number -- Writes VALUE with at most two decimals and a comma every three digits:
 * "1,234.5".
 *
 * value  not negative; infinity is written as in the viewer.
 * Returns BUFFER.
 */
const char *dhat_number(char buffer[DHAT_NUMBER_LENGTH], double value);

/* dhat_percent -- Writes A of B in percent, in the same way: "12.34%"; 0 of 0 is 0. */
const char *dhat_percent(char buffer[DHAT_NUMBER_LENGTH], double a, double b);

/* dhat_ratio -- Returns A / B; 0 / 0 is 0. */
double dhat_ratio(double a, double b);
