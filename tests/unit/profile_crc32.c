/* profile_crc32.c -- the checksum is zlib's, however the bytes are cut.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/crc32.h"

#include "tests/lib/tap.h"

int main(void)
{
	const char *check = "123456789";	/* the check value that everybody publishes */
	unsigned char bytes[1000];
	bool same = true;
	uint32_t whole;

	EQ_U(crc32_add(0, check, 9), 0xcbf43926);
	EQ_U(crc32_add(0, "", 0), 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + (i >> 3));
	whole = crc32_add(0, bytes, sizeof(bytes));
	for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
		uint32_t part = crc32_add(0, bytes, cut);

		same = same && crc32_add(part, bytes + cut, sizeof(bytes) - cut) == whole;
	}
	OK(same, "any cut gives the same checksum");
	return done_testing();
}
