/* json.h -- everything that is known of an image, for programs.
 *
 * The section JSON of man/memusageprint.1 describes this for users; tests/e2e/json.t compares.
 *
 *	{"format":"memusage","version":1,"pid":12,"command":"./prog a","start_real_ns":..,
 *	 "duration_ns":..,
 *	 "heap":{"now":..,"peak":..,"peak_bound":..},
 *	 "exit":"signal","status":9,"ended":"killed by SIGKILL",
 *	 "heap_total":..,"call_count":..,"stack_peak":..,"recorder_bytes":..,
 *	 "calls":{"malloc":{"calls":..,"bytes":..,"failed":..},..},
 *	 "histogram":[[0,15,3],[65536,null,1]],
 *	 "threads_max":1,"threads":[{"tid":12,"name":"prog","stack_peak":..}],
 *	 "drops":[{"count":1,"what":"marks"}],"notes":["lines of the summary"],
 *	 "peak_time_ns":..,"lifetimes":[..],
 *	 "marks":[{"time_ns":..,"kind":"mark","heap":..,"text":"loaded"}],
 *	 "processes":[{"pid":12,"parent":10,"forked":false,"last":true,"command":"./prog a",
 *	               "start_ns":..,"duration_ns":..,"peak":..,"live":..,"own_peak":..,
 *	               "own_live":..,"exit":"signal","status":9,"ended":".."}],
 *	 "modules":[{"path":"/bin/prog","build_id":"0a1b..","start":"0x..","end":"0x..",
 *	             "bias":"0x..","names":true}],
 *	 "locations":[{"pc":"0x..","module":0,
 *	               "levels":[{"function":"f(int)","file":"/src/f.c","line":3}]}],
 *	 "growth":{"from":"snapshot","from_ns":..,"to":"peak","to_ns":..,"bytes":..,"blocks":..},
 *	 "sites":[{"call":"malloc","stack":[3,1,0],"truncated":false,
 *	           "peak_bytes":..,"peak_blocks":..,"live_bytes":..,"live_blocks":..,
 *	           "total_bytes":..,"total_blocks":..,"temporary_blocks":..,"max_bytes":..,
 *	           "growth_bytes":..,"growth_blocks":..,"trend":"grows",
 *	           "growth_bytes":..,"growth_blocks":..,"trend":"grows","lifetime_ns":..,

 *	 "snapshots":[{"time_ns":..,"kind":"peak","heap":..,"extra":..,"clock_bytes":..}],
 *	 "rss_peak":..,
 *	 "timeline":[{"time_ns":..,"heap":..,"stacks":..,"rss_anon":..,"rss_file":..,
 *	              "rss_shmem":..,"swap":..,"recorder_shmem":..,"recorder_anon":..,
 *	              "events":..}],
 *	 "memory":{"time_ns":..,"resident":..,"heap":..,"spare":..,"globals":..,"stacks":..,
 *	           "file":..,"shared":..,"recorder":..,"untouched":..,"swap":..},
 *	 "resident_rise":{"from":..,"to":..,"heap_from":..,"heap_to":..}}
 *
 * Levels and stacks are innermost first; a stack is a list of numbers of locations. pc is a
 * return address. A module without "names" could not be read; null stands for no module. Bytes
 * are those asked for. Size classes count blocks of up to 16, 64, 256, 1024, 4096, 65536,
 * 1048576 and more bytes. The timeline is what the kernel saw, its "recorder" parts being of
 * rss_shmem and rss_anon; "memory" explains the sample with most of it (profile/read/timeline.h).
 *
 * "exit" is "exit", "_exit", "status" (an exit without exit handlers), "signal", "exec", "running"
 * or "unknown"; "status" is the exit status, the signal, or null if it is not known. A row of the
 * histogram has the sizes from and to, and the requests. "lifetimes" counts freed blocks by the
 * time that they lived, in ms: below 1, 1, 2 to 3, 4 to 7, ... "peak_time_ns" is null without
 * snapshots. docs/glossary.md defines the figures.
 * "processes" are all images of the recording in the order in which they began, their "start_ns"
 * since the first one; own_peak and own_live are without what a forked child got from its parent.
 * "growth" is between two moments, "start", "snapshot", "peak" or "end"; its sums are those of all
 * sites. "trend" is "grows", "settled" or "churns", or absent. A duration of 0 is not known. Later
 * versions may add members.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/base/json_text.h"
#include "formats/export.h"
#include "profile/base/error.h"

/* json_put_levels -- Prints "levels":[..]} of a location, the last member of its object. */
void json_put_levels(FILE *out, const struct profile *p, uint32_t location);

/* json_write -- Writes all of an image as one JSON object, on lines of moderate length.
 *
 * OUT keeps its errors.
 */
void json_write(FILE *out, const struct export *e);
