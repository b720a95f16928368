/* runtime_rule.h -- Decides by its names whether a function belongs to a run-time.
 *
 * A run-time allocates and calls on behalf of the program: containers, operator new, the start of
 * threads, an interpreter. This is the only place that knows such names; every report and picture
 * asks it, so that all of them name the same function.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

enum runtime_kind {
	RUNTIME_NOT,		/* the program's own */
	RUNTIME_INTERPRETER,	/* implements the objects of an interpreted language: a run-time if
				 * the functions of that language have names */
	RUNTIME_EVALUATOR,	/* the loop that evaluates such functions, and calls through it */
	RUNTIME_AGENT,		/* a wrapper of malloc, or the allocator of a run-time */
	RUNTIME_LIBRARY		/* libc, libstdc++, a container, the start of a thread */
};

/* runtime_rule_kind -- Classifies a function.
 *
 * name    demangled, whole or as shortname() returns it; "" unknown.
 * file    its source, with or without the directory; "" unknown.
 * object  path of its module; "" unknown, or code made at run time.
 * Cost about 1 us.
 */
enum runtime_kind runtime_rule_kind(const char *name, const char *file, const char *object);

/* runtime_rule_is_script -- Tells by its name whether a function is one that Python or V8 has named
 * for profilers: "py::Index.add", "JS:~handle".
 *
 * name  as the interpreter wrote it, with or without its source.
 */
bool runtime_rule_is_script(const char *name);

/* runtime_rule_is_wrapper -- Tells by its name whether a function passes on another one's request.
 *
 * xmalloc, g_strdup, sqlite3Malloc, PyMem_Realloc: its caller is the function of interest.
 *
 * name  demangled, whole or as shortname() returns it.
 */
bool runtime_rule_is_wrapper(const char *name);
