/* privsep.h -- a process that does work with another user's rights, and can do us no harm.
 *
 * Once it executes a program its user may trace it, and make it do anything. So it gets nothing of
 * ours: no terminal (who holds one may type, and read what is typed), no descriptor that is not
 * named, no directory, no variable of the environment. What it prints comes through pipes, and is
 * made fit for a terminal on the way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REMOTE_PRIVSEP_H
#define MEMUSAGE_REMOTE_PRIVSEP_H

/* privsep_run -- run WORK in a process of its own, and print what that prints.
 *
 * work  has our rights still, and gives them up as soon as it can: then it calls
 *       privsep_die_with_parent().
 * Returns what WORK returns, 0 to 255, after it has ended; 125 after a message if it did not.
 */
int privsep_run(int (*work)(void *data), void *data);

/* privsep_die_with_parent -- for WORK: end with the one who called privsep_run(), however that
 * ends. */
void privsep_die_with_parent(void);

#endif
