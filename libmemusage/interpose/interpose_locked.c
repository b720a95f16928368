/* interpose_locked.c -- functions under locks of libc that fork() does not free in the child: those
 * of the environment, the locale and the time zone.
 *
 * A child that has a copy of such a lock, locked, hangs when it takes it. libc allocates under
 * them, so a thread could wait in the recorder with one while another forks, and the kernel copies
 * a recorded process longer. So a fork waits until no thread is in a function of these, and a
 * thread waits before it enters one. Then no child hangs, which libc alone does not promise.
 *
 * libc's own calls of these functions are not seen. Those that take the lock of the time zone for
 * other reasons, gmtime() and strftime() for example, are left alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <locale.h>
#include <stdlib.h>
#include <time.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/image/stop.h"

/* F for those with a result, V for the others. libstdc++ uses the names with underscores. */
#define FUNCTIONS(F, V)                                                                           \
	F(int, setenv, (const char *name, const char *value, int replace), (name, value, replace)) \
	F(int, unsetenv, (const char *name), (name))                                              \
	F(int, putenv, (char *entry), (entry))                                                    \
	F(int, clearenv, (void), ())                                                              \
	F(char *, setlocale, (int category, const char *name), (category, name))                  \
	F(locale_t, newlocale, (int mask, const char *name, locale_t base), (mask, name, base))   \
	F(locale_t, __newlocale, (int mask, const char *name, locale_t base), (mask, name, base)) \
	F(locale_t, duplocale, (locale_t locale), (locale))                                       \
	F(locale_t, __duplocale, (locale_t locale), (locale))                                     \
	V(void, freelocale, (locale_t locale), (locale))                                          \
	V(void, __freelocale, (locale_t locale), (locale))                                        \
	V(void, tzset, (void), ())                                                                \
	F(time_t, mktime, (struct tm *broken_down), (broken_down))                                \
	F(struct tm *, localtime, (const time_t *when), (when))                                   \
	F(struct tm *, localtime_r, (const time_t *when, struct tm *result), (when, result))

#define NEXT_MEMBER(type, name, parameters, arguments) type(*name) parameters;
#define FIND_NEXT(type, name, parameters, arguments) real_find(&next.name, #name);
#define DEFINE_FUNCTION(type, name, parameters, arguments) \
	type name parameters;                              \
	EXPORT type name parameters                        \
	{                                                  \
		bool forbids = forbid_forks();             \
		type result_ = next.name arguments;        \
		if (forbids)                               \
			stop_allow();                      \
		return result_;                            \
	}
#define DEFINE_VOID_FUNCTION(type, name, parameters, arguments) \
	type name parameters;                                   \
	EXPORT type name parameters                             \
	{                                                       \
		bool forbids = forbid_forks();                  \
		next.name arguments;                            \
		if (forbids)                                    \
			stop_allow();                           \
	}

static struct next_functions {
	FUNCTIONS(NEXT_MEMBER, NEXT_MEMBER)
} next;

static void resolve_functions(void)
{
	FUNCTIONS(FIND_NEXT, FIND_NEXT)
}

REAL_PART = { .resolve = resolve_functions };

static bool forbid_forks(void)
{
	real_resolve();
	return stop_forbid();
}

FUNCTIONS(DEFINE_FUNCTION, DEFINE_VOID_FUNCTION)
