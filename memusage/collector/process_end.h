/* process_end.h -- How a process of the tree ended, as the kernel and the recorder know it.
 *
 * The launcher knows the status of the program that it started. The collector is not the parent
 * of the others, so it asks the kernel: /proc has the status while a process is a zombie, and since
 * Linux 6.15 a pidfd has it after that. Where neither answers, the recorder of the parent has what
 * wait() told the parent. Without that the recorder's own word counts: it sees exit and _exit, but
 * no signal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/common/process.h"

/* The reason why an image ends. */
enum tree_end {
	TREE_EXEC,    /* the process continues with another image */
	TREE_DETACHED, /* the process continues without the recorder */
	TREE_DEATH,   /* the process is gone */
	TREE_SHUTDOWN /* the collector ends; the program may still be writing */
};

/* process_end_note -- Keeps the status of a process, as wait() gives it. */
void process_end_note(struct process *p, int status);

/* process_end_ask -- Asks the kernel for the status of an ended process, unless it is known.
 *
 * Cost up to three system calls and one file of /proc.
 */
void process_end_ask(struct process *p);

/* process_end_ask_parent -- Looks for the status in the image of the parent, unless it is known.
 *
 * Returns whether the parent may still note it: it has done so for other children, and the kernel
 * has given it the status less than 50 ms ago, to our knowledge.
 */
bool process_end_ask_parent(const struct processes *all, struct process *p);

/* process_end_store -- Stores in the process's image how it ended.
 *
 * end  TREE_DEATH: process_end_ask() was called.
 */
void process_end_store(const struct process *p, enum tree_end end);
