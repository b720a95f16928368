/* message.h -- what the programs say on standard error, and how they give up.
 *
 * One form for every message: `tool: what: why`, lower case, no full stop. It says what the
 * user can do about it. Formats are printf's, with %m for strerror(errno).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdarg.h>

/* message_init -- name the program in front of every message.
 *
 * tool     name without a directory; kept, not copied. Before the call it is "memusage".
 * failure  exit status of die(): 1 for tools, 125 for the launcher (as env(1) does it).
 */
void message_init(const char *tool, int failure);

/* message_tool -- the name given to message_init(). */
const char *message_tool(void);

/* warn -- Prints `tool: MESSAGE` and goes on.
 *
 * The line is formatted first and leaves in one write, so that lines of several processes do
 * not mix. Messages beyond 4 KiB are cut. Characters that could drive a terminal (cli/terminal.h),
 * from a file name for example, are shown as '?'. Preserves errno.
 */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* warn_va -- warn() for a caller that has the arguments as a list. */
void warn_va(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* message_hold -- Lets the messages of this thread wait for those of others.
 *
 * wait  called with DATA before each message, those of die() too; NULL: no longer.
 */
void message_hold(void (*wait)(void *data), void *data);

/* message_wait -- Waits as before a message. To be called before fork(): the child has no other
 * threads for which its messages could wait. */
void message_wait(void);

/* die -- warn() and exit with the status of message_init(). */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
