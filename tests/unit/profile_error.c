/* profile_error.c -- a message is kept whole; one that is too long says that it is cut.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/error.h"

#include <string.h>

#include "tests/lib/tap.h"

static void test_whole(void)
{
	char path[301];
	struct mu_error err;

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	EQ_I(mu_error_set(&err, MU_ERROR_SYSTEM, 7, "%s: cannot be read", path), -1);
	EQ_I(err.code, MU_ERROR_SYSTEM);
	EQ_I(err.offset, 7);
	EQ_I(strlen(err.text), strlen(path) + strlen(": cannot be read"));
}

static void test_cut(void)
{
	static char path[5001];
	struct mu_error err;

	memset(path, 'p', sizeof(path) - 1);
	mu_error_set(&err, MU_ERROR_SYSTEM, 0, "%s: cannot be read", path);
	EQ_I(strlen(err.text), sizeof(err.text) - 1);
	EQ_S(err.text + sizeof(err.text) - 5, "p...");
	EQ_I(mu_error_set(NULL, MU_ERROR_SYSTEM, 0, "%s", path), -1);
}

int main(void)
{
	test_whole();
	test_cut();
	return done_testing();
}
