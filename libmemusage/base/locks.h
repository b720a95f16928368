/* locks.h -- every spin lock of the recorder, in one place.
 *
 * A lock can lose its holder: a fork or a raw clone() leaves the other threads behind, and a signal
 * handler may leave the hook by longjmp. Then all locks must become free again, so no module has a
 * lock of its own: tests/lint/locks.t checks that.
 *
 * Locks in the image are words of its format, next to what they guard; locks_free_all() knows them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/base/export.h"
#include "recording/recording.h"

#define LOCK_LINE 64 /* bytes: two locks in one cache line would slow down each other's holders */

/* The locks by which writers of one image exclude each other (image/arena.c). */
struct arena_locks {
	uint32_t populate;
	uint32_t table;
};

/* Each is named after the module that takes it. They may nest in any order: no thread waits for a
 * second lock for longer than the bound of spin_lock(). */
struct recorder_locks {
	_Alignas(LOCK_LINE) struct arena_locks arena; /* the emulator's plugin takes them, too */
	_Alignas(LOCK_LINE) uint32_t accesses;
	_Alignas(LOCK_LINE) uint32_t accounting; /* sites.c: the cells of sites_charge() */
	_Alignas(LOCK_LINE) uint32_t buckets;
	_Alignas(LOCK_LINE) uint32_t labels;
	_Alignas(LOCK_LINE) uint32_t mapping;
	_Alignas(LOCK_LINE) uint32_t marks;
	_Alignas(LOCK_LINE) uint32_t memory;
	_Alignas(LOCK_LINE) uint32_t patch;
	_Alignas(LOCK_LINE) uint32_t pools;
	_Alignas(LOCK_LINE) uint32_t rules;
	_Alignas(LOCK_LINE) uint32_t sampling; /* and all that events of sampled blocks change */
	_Alignas(LOCK_LINE) uint32_t sites;
	_Alignas(LOCK_LINE) uint32_t shrunk;
	_Alignas(LOCK_LINE) uint32_t snapshots;
	_Alignas(LOCK_LINE) uint32_t stop;  /* and what belongs to it, see stop.c: */
	uint32_t stop_state;		    /* ... number and kind of the last stop */
	uint32_t stop_waiting;		    /* ... threads that wait to have an event */
	uint32_t stop_holders;		    /* ... of those, that change ld.so's list */
	uint32_t stop_forbidden;	    /* ... threads that must not be stopped */
	uint32_t stop_abandoned;	    /* ... state + 1 of one that was waited for in vain */
	_Alignas(LOCK_LINE) uint32_t threads;
	_Alignas(LOCK_LINE) uint32_t triggers;
};

extern HIDDEN struct recorder_locks locks;

/* locks_free_all -- free every lock, whichever thread held it.
 *
 * image  its locks become free, too; NULL: the process has no image of its own yet.
 * Call it only when no other thread of this process can hold a lock. Async-signal-safe.
 */
void locks_free_all(struct mu_image *image);
