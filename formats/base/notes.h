/* notes.h -- what the reader of a summary must be told about its figures.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/read/result.h"

/* Where notes go: one line each, without its end; names in it are raw bytes of the program. */
struct notes {
	void (*put)(void *data, const char *line);
	void *data;
	/* Takes the lines that only add a figure (reads, calls of a patched function) and say of
	 * nothing that it is missing. NULL: put() takes them. */
	void (*put_figure)(void *data, const char *line);
};

/* notes_put -- one line for each fact that the reader must know; often none. */
void notes_put(const struct notes *to, const struct result *result);

/* notes_guessed -- how many call stacks are less certain than others; nothing if none is. */
void notes_guessed(const struct notes *to, const struct result *result);

typedef void notes_drop_fn(void *data, uint64_t count, const char *what);

/* notes_drops -- everything but blocks that could not be recorded: "COUNT WHAT" are missing. */
void notes_drops(const struct result *r, notes_drop_fn *put, void *data);
