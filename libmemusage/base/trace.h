/* trace.h -- a log of the recorder's life, to find out why it did not record.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* trace_init -- append trace lines to the file `path` from now on (MEMUSAGE_TRACE).
 *
 * path  NULL or "": no tracing. Cut to 255 bytes.
 */
void trace_init(const char *path);

/* trace -- append "memusage PID: text". Opens and closes the file: no descriptor is kept.
 *
 * Async-signal-safe. Does nothing, fast, when tracing is off.
 */
void trace(const char *text);
