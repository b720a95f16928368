/* CFLAGS: -O0 -fno-inline */
/* massif_nothing.c -- no allocation at all.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
int main(void)
{
	return 0;
}
