/* examine_served.c -- which devices hold a file system of FUSE, by the text of mountinfo.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/supplied_areas.h"

#include "tests/lib/tap.h"

static const char mounts[] =
	"22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw\n"
	"40 27 0:45 / /srv/a\\040-\\040fuse rw - ext4 /dev/vda rw\n"
	"41 27 0:46 / /mnt/far rw,nosuid,nodev shared:9 master:2 - fuse.sshfs far:/ rw,user_id=0\n"
	"42 27 8:17 / /mnt/disk rw - fuseblk /dev/sdb1 rw\n"
	"43 27 0:47 / /mnt/own rw - fuse own rw";

int main(void)
{
	OK(supplied_areas_served(mounts, 0, 46), "a type with a name");
	OK(supplied_areas_served(mounts, 8, 17), "one with a device");
	OK(supplied_areas_served(mounts, 0, 47), "the last line has no end");
	OK(!supplied_areas_served(mounts, 0, 21), "another type");
	OK(!supplied_areas_served(mounts, 0, 45), "a path with the word");
	OK(!supplied_areas_served(mounts, 46, 0), "numbers in the other order");
	OK(!supplied_areas_served(mounts, 0, 4), "the beginning of a number");
	OK(!supplied_areas_served("", 0, 0), "no mounts");
	OK(!supplied_areas_served("x\n - fuse\n1 2 3 - fuse", 3, 0), "damaged lines");
	return done_testing();
}
