/* maps.h -- the mappings of this process, and its files in /proc.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A mapping. */
struct maps_line {
	uint64_t start, end;
	char *path;	 /* of its file, or "[stack]" and the like; not terminated */
	uint64_t length; /* of path, 0: none; at most `room` */
	uint64_t room;
};

/* A visitor gets one mapping, and returns whether it wants no more. */
typedef bool maps_visitor(const struct maps_line *line, void *data);

/* maps_for_each -- call visit(line, data) for each mapping of user space, in ascending order.
 *
 * path  gets the path of each mapping, as much of it as fits into `room` bytes; NULL with 0.
 * Returns false if the file cannot be read, or a sandbox may forbid it. Async-signal-safe if visit
 * is. Cost some 20 us, and 1 us for each mapping.
 * Source  proc(5), /proc/PID/maps.
 */
bool maps_for_each(char *path, uint64_t room, maps_visitor *visit, void *data);

/* maps_path_at -- write the path of the file that is mapped at an address, as the kernel
 * knows it.
 *
 * as_it_is  accept also a name that no file has: "/memfd:x (deleted)".
 * path      gets the path and a final zero; size bytes.
 * Returns the length; 0 if there is no file, it was deleted, or /proc may not be read (sandbox).
 * Async-signal-safe. Cost 0.1 ms per 100 mappings.
 * Source proc(5), /proc/PID/maps.
 */
uint64_t maps_path_at(uint64_t address, bool as_it_is, char *path, uint64_t size);

/* maps_open_own_file -- open a file of this process that shows its memory.
 *
 * /proc/self is that of the first thread. When that has ended, its files show no memory any more.
 * An emulator knows only the names in /proc/self, and so do rules of security modules.
 *
 * self    its name in /proc/self
 * thread  its name in /proc/thread-self
 * flags   of openat(2); O_CLOEXEC is added
 * Returns a descriptor, or a negative errno.
 * Safe    from any thread and any signal handler; not in a sandbox. Costs three system calls more
 *         than openat().
 * Source  proc(5), /proc/self, /proc/thread-self; measured on Linux 6.18.
 */
long maps_open_own_file(const char *self, const char *thread, int flags);
