/* interpose_user.c -- setuid, setreuid, setresuid, to notice that rights are given up.
 *
 * seteuid() changes what can be changed back: nothing is given up by it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <sys/types.h>
#include <unistd.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/lifecycle/change_user.h"

#define UNCHANGED ((uid_t)-1)

static void set_unless_unchanged(uint32_t *id, uid_t next)
{
	if (next != UNCHANGED)
		*id = next;
}

/* setuid(2): a process without rights changes its effective ID only. */
EXPORT int setuid(uid_t user)
{
	struct user_ids ids = change_user_now();

	real_resolve();
	change_user_before(ids.effective ? (struct user_ids){ ids.real, user, ids.saved } :
					   (struct user_ids){ user, user, user });
	return real.setuid(user);
}

/* setreuid(2): the saved ID follows if the real ID is set, or the effective ID to another one. */
EXPORT int setreuid(uid_t real_user, uid_t effective)
{
	struct user_ids ids = change_user_now();
	uint32_t was = ids.real;

	real_resolve();
	set_unless_unchanged(&ids.real, real_user);
	set_unless_unchanged(&ids.effective, effective);
	if (real_user != UNCHANGED || (effective != UNCHANGED && effective != was))
		ids.saved = ids.effective;
	change_user_before(ids);
	return real.setreuid(real_user, effective);
}

EXPORT int setresuid(uid_t real_user, uid_t effective, uid_t saved)
{
	struct user_ids ids = change_user_now();

	real_resolve();
	set_unless_unchanged(&ids.real, real_user);
	set_unless_unchanged(&ids.effective, effective);
	set_unless_unchanged(&ids.saved, saved);
	change_user_before(ids);
	return real.setresuid(real_user, effective, saved);
}
