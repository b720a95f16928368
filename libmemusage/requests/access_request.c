/* access_request.c -- requests of the program to count accesses byte by byte.
 *
 * Requests of which DHAT warns are counted as drops, and the report lists them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/access_request.h"

#include "libmemusage/requests/request.h"
#include "libmemusage/tables/accesses.h"

static bool serve_histogram(struct thread *thread, uint64_t address, uint64_t size)
{
	enum access_request result = accesses_request(&thread->access, address, &size);

	if (result == ACCESS_REQUEST_UNKNOWN)
		access_request_unknown();
	else if (result == ACCESS_REQUEST_TOO_SMALL)
		count_drop(histograms_small);
	else if (result == ACCESS_REQUEST_TOO_LARGE)
		count_drop(histograms_large);
	return result == ACCESS_REQUEST_DONE;
}

void access_request_unknown(void)
{
	if (request_histogram)
		count_drop(histograms_unknown);
}

bool access_request_init(void)
{
	request_histogram = serve_histogram;
	return accesses_init();
}
