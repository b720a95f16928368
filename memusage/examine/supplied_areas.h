/* supplied_areas.h -- Mappings whose missing pages a process supplies.
 *
 * The process itself does so by userfaultfd(2), another one that serves a file system by FUSE. Who
 * reads a missing page there waits until it is supplied: for ever if the process is stopped, or the
 * server does not answer. The kernel does not even end the wait of a process that is killed once
 * the server of a file system has got the request.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* supplied_areas_may_be -- Returns whether a process has a descriptor of userfaultfd.
 *
 * It may hear of a fork() by it, and the fork waits until it has heard.
 */
bool supplied_areas_may_be(pid_t pid);

/* supplied_areas_find -- Calls a function for each mapping that a process supplies by userfaultfd.
 *
 * start  where the mapping begins.
 * data   what the function gets.
 * Cost two system calls per descriptor without one of userfaultfd; with one, the kernel walks all
 * page tables of the process.
 */
void supplied_areas_find(pid_t pid, void (*visit)(uint64_t start, void *data), void *data);

/* supplied_areas_served -- Returns whether the files of a device are served by FUSE.
 *
 * mounts        the text of /proc/PID/mountinfo.
 * major, minor  as /proc/PID/maps has them.
 * False also if the file system is no longer mounted where the process sees it.
 * Source  proc(5), "/proc/[pid]/mountinfo"; Linux, Documentation/filesystems/fuse.rst.
 */
bool supplied_areas_served(const char *mounts, unsigned int major, unsigned int minor);
