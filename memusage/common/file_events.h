/* file_events.h -- Waiting until one of many descriptors can be read.
 *
 * epoll goes on to report a descriptor after it was closed, while a copy of it exists: a child of
 * fork() has one until it executes a program. By then its number may be that of another file. A
 * process whose pidfd had got such a number was taken for ended, and its memory was reused while it
 * lived. So a descriptor must be removed before it is closed, and is asked again before an event is
 * believed.
 *
 * One set for the program. Not thread-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* file_events_begin -- Makes the set, which is empty. Returns false, with errno, if it cannot. */
bool file_events_begin(void);

/* file_events_end -- Releases the set; its descriptors stay open. */
void file_events_end(void);

/* file_events_add -- Adds a descriptor. Returns false, with errno, if it cannot be waited for. */
bool file_events_add(int fd);

/* file_events_add_process -- Opens a pidfd of a process and adds it: it can be read at its end.
 *
 * Returns the pidfd, for file_events_close(); -1 if there is none, or it cannot be waited for.
 */
int file_events_add_process(pid_t pid);

/* file_events_remove -- Removes a descriptor that stays open. */
void file_events_remove(int fd);

/* file_events_close -- Removes a descriptor, if it is in the set, and closes it. Accepts -1. */
void file_events_close(int fd);

/* file_events_wait -- Waits until descriptors of the set can be read, or have failed.
 *
 * fd       set to at most MOST of them. One that is handled may change the others, so each is to be
 *          asked by file_events_is_ready() right before it is handled.
 * timeout  milliseconds; -1: no limit.
 * Returns their number; 0 after the time or a signal.
 */
int file_events_wait(int *fd, int most, int timeout);

/* file_events_is_ready -- Tells whether a descriptor can be read now, or has failed; false if it is
 * none. Costs a system call. */
bool file_events_is_ready(int fd);
