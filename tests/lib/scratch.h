/* scratch.h -- files made by a unit test go to its own directory, also when it is run by hand.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* First thing in main(). tests/run has seen to it already, and removes the directory later. */
__attribute__((unused)) static void scratch(void)
{
	char directory[] = "/tmp/memusage-test-XXXXXX";

	if (!getenv("MU_TMP") && mkdtemp(directory) && chdir(directory) == 0)
		printf("# in %s\n", directory);
}
