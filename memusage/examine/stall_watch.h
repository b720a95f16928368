/* stall_watch.h -- End this process when it waits for something that does not come.
 *
 * Who examines a process reads pages and files of its, and of file systems that may not answer: a
 * server that has gone, or one that a user runs. The kernel ends no such wait but that of a process
 * that is killed. Work of any length goes on, as it uses the processor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Seconds without any use of the processor that count as a stall. */
enum { STALL_SECONDS = 15 };

/* stall_watch_begin -- Watches the calling thread until this process ends, by another thread.
 *
 * on_stall  is called by that thread, with DATA, before it ends the process by _exit(0). It must
 *           not allocate memory, since the watched thread may hold malloc's lock.
 * If there can be no thread the process is not watched. Costs a thread, which wakes each second. A
 * stop of the process by a signal does not count.
 *
 * Source  pthread_getcpuclockid(3); Linux, Documentation/filesystems/fuse.rst, "Interrupting
 *         filesystem operations".
 */
void stall_watch_begin(void (*on_stall)(int data), int data);
