/* json.h -- everything that is known of an image, for programs.
 *
 *	{"format":"memusage","version":1,"pid":12,"command":"./prog a","start_real_ns":..,
 *	 "duration_ns":..,
 *	 "heap":{"now":..,"peak":..,"peak_bound":..},
 *	 "modules":[{"path":"/bin/prog","build_id":"0a1b..","start":"0x..","end":"0x..",
 *	             "bias":"0x..","names":true}],
 *	 "locations":[{"pc":"0x..","module":0,
 *	               "levels":[{"function":"f(int)","file":"/src/f.c","line":3}]}],
 *	 "sites":[{"call":"malloc","stack":[3,1,0],"truncated":false,
 *	           "peak_bytes":..,"peak_blocks":..,"live_bytes":..,"live_blocks":..,
 *	           "total_bytes":..,"total_blocks":..,"temporary_blocks":..,"max_bytes":..,
 *	           "size_classes":[..]}],
 *	 "snapshots":[{"time_ns":..,"kind":"peak","heap":..,"extra":..,"clock_bytes":..}],
 *	 "rss_peak":..,
 *	 "timeline":[{"time_ns":..,"heap":..,"stacks":..,"rss_anon":..,"rss_file":..,
 *	              "rss_shmem":..,"swap":..,"recorder_shmem":..,"recorder_anon":..,
 *	              "events":..}],
 *	 "memory":{"time_ns":..,"resident":..,"heap":..,"spare":..,"globals":..,"stacks":..,
 *	           "file":..,"shared":..,"recorder":..,"untouched":..,"swap":..}}
 *
 * Levels and stacks are innermost first; a stack is a list of numbers of locations. pc is a
 * return address. A module without "names" could not be read; null stands for no module. Bytes
 * are those asked for. Size classes count blocks of up to 16, 64, 256, 1024, 4096, 65536,
 * 1048576 and more bytes. The timeline is what the kernel saw, its "recorder" parts being of
 * rss_shmem and rss_anon; "memory" explains the sample with most of it (profile/read/timeline.h).
 * Later versions may add members.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FORMATS_JSON_H
#define FORMATS_JSON_H

#include <stdio.h>

#include "formats/export.h"
#include "profile/base/error.h"

/* json_put_characters -- Prints a part of a text as the inside of a JSON string.
 *
 * end      where it ends, at the beginning of a character or at its final zero.
 * in_html  also escapes characters with a meaning in HTML or old JavaScript. Invalid UTF-8 becomes
 *          U+FFFD.
 */
void json_put_characters(FILE *out, const char *text, const char *end, bool in_html);

/* json_put_string -- Prints a text as a JSON string. Invalid UTF-8 becomes U+FFFD. */
void json_put_string(FILE *out, const char *text);

/* json_write -- Writes all of an image as one JSON object, on lines of moderate length.
 *
 * OUT keeps its errors. Allocates nothing.
 */
void json_write(FILE *out, const struct export *e);

#endif
