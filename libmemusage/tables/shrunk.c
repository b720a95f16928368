/* shrunk.c -- blocks with more room than their record can say, in a hash table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/shrunk.h"

#include "libmemusage/base/hash.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "recording/blocks.h"
#include "recording/slop.h"

#define FIRST_LOG2 8

static struct hash_table shrunk; /* bytes of room by address; under its lock */

bool shrunk_remember(uint64_t address, uint64_t size, uint64_t room, uint64_t *birth)
{
	uint64_t units = (room - size - mu_slop(size)) / 16;
	bool ok;

	if (units <= MU_SLACK_UNITS && units * 16 + mu_slop(size) + size == room) {
		*birth = (*birth & MU_SLACK_TIME) | units << MU_SLACK_SHIFT | MU_BIRTH_SLACK;
		return true;
	}
	if (!spin_lock(&locks.shrunk))
		return false;
	ok = hash_reserve(&shrunk, FIRST_LOG2);
	if (ok)
		hash_put(&shrunk, address, room);
	spin_unlock(&locks.shrunk);
	if (ok)
		*birth = (*birth & MU_SLACK_TIME) | MU_BIRTH_SLACK;
	return ok;
}

uint64_t shrunk_forget(uint64_t address, uint64_t size, uint64_t birth)
{
	uint64_t room = 0;

	if (MU_SLACK(birth))
		return mu_slop(size) + MU_SLACK(birth);
	if (!shrunk.key || !spin_lock(&locks.shrunk))
		return 0;
	bool is_known = hash_remove(&shrunk, address, &room);
	spin_unlock(&locks.shrunk);
	return is_known ? room - size : 0;
}
