/* owner.c -- Find the owner of a process, and take that user's rights.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/rights/owner.h"

#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/user.h"
#include "memusage/common/process.h"

int owner_find(struct owner *o, pid_t pid)
{
	unsigned int uid[PROCESS_IDS], gid[PROCESS_IDS];

	if (!process_read_ids(pid, uid, gid))
		return -1;
	*o = (struct owner){ .uid = uid[0], .gid = gid[0], .is_self = true };
	for (int i = 0; i < PROCESS_IDS && o->is_self; i++) {
		o->uid = uid[i];
		o->is_self = user_is_self(uid[i]);
	}
	return 0;
}

static bool has_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	uint32_t all = 0;

	if (syscall(SYS_capget, &head, data) < 0)
		return true;
	for (int i = 0; i < 2; i++)
		all |= data[i].effective | data[i].permitted | data[i].inheritable;
	return all != 0;
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[2] = { { .effective = 0 } };

	/* Linux before 4.3 has neither this call nor what it clears. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	syscall(SYS_capset, &head, none);
}

static bool has_only_rights_of(const struct owner *o)
{
	uid_t real, effective, saved;
	gid_t real_group, effective_group, saved_group;

	return getresuid(&real, &effective, &saved) == 0 && real == o->uid &&
	       effective == o->uid && saved == o->uid && (uid_t)setfsuid((uid_t)-1) == o->uid &&
	       getresgid(&real_group, &effective_group, &saved_group) == 0 &&
	       real_group == o->gid && effective_group == o->gid && saved_group == o->gid &&
	       (gid_t)setfsgid((gid_t)-1) == o->gid && getgroups(0, NULL) == 0 &&
	       !has_capabilities() && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
	       setresuid((uid_t)-1, 0, (uid_t)-1) < 0 && setuid(0) < 0;
}

void owner_become(const struct owner *o)
{
	if (o->uid == 0 || !user_is_known(o->uid))
		die("cannot take the rights of user %u, who is root or unknown "
		    "here",
		    (unsigned int)o->uid);
	if (setgroups(0, NULL) < 0 || setresgid(o->gid, o->gid, o->gid) < 0 ||
	    setresuid(o->uid, o->uid, o->uid) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		die("cannot take the rights of user %u: %m", (unsigned int)o->uid);
	drop_capabilities();
	/* With fs.suid_dumpable 1 the user could trace us before we execute a program. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (!has_only_rights_of(o))
		die("cannot take the rights of user %u: some of root's rights are left",
		    (unsigned int)o->uid);
}
