/* user.c -- whether a user that the kernel names by a number is the user of this process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/user.h"

#include <stdio.h>
#include <unistd.h>

#define USERS 4294967295ull	/* that a map can name: (uid_t)-1 is no user */
#define OVERFLOW_USER 65534u

/* Lines "INSIDE OUTSIDE COUNT", which never overlap. */
static bool maps_all_users(void)
{
	FILE *map = fopen("/proc/self/uid_map", "re");
	unsigned long long count, sum = 0;

	while (map && fscanf(map, "%*u %*u %llu", &count) == 1)
		sum += count;
	if (map)
		fclose(map);
	return sum >= USERS;
}

static unsigned int overflow_user(void)
{
	FILE *file = fopen("/proc/sys/kernel/overflowuid", "re");
	unsigned int user = OVERFLOW_USER;

	if (file && fscanf(file, "%u", &user) != 1)
		user = OVERFLOW_USER;
	if (file)
		fclose(file);
	return user;
}

bool user_is_known(uid_t uid)
{
	return uid != overflow_user() || maps_all_users();
}

bool user_is_self(uid_t uid)
{
	return uid == geteuid() && user_is_known(uid);
}
