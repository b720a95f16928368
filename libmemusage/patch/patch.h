/* patch.h -- changing the machine code of a running program.
 *
 * All changes of instructions use these functions: memory for thunks near the code that jumps to
 * them, and stores into code that other threads may be executing. No page is writable and
 * executable at the same time unless the kernel leaves no other way (docs/design.md, "Patching"). A
 * change that is not possible is refused, and the caller notes it in the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A series of changes: signals are blocked between patch_begin() and patch_end(). */
struct patch {
	int mem;	 /* descriptor of /proc/self/mem, -1 none */
	uint64_t mask;	 /* signals that were blocked before */
	bool is_alone;	 /* the process had one thread when the series began */
};

/* patch_begin -- begin a series of changes.
 *
 * Returns false where code is not changed: on a CPU other than x86-64, or in a program that may
 * have forbidden itself system calls (sandbox.h). Pair with patch_end() if true. Must not run in a
 * signal handler: what it interrupted could be the code to be changed. Allocates nothing, takes no
 * lock of libc. Cost some us.
 */
bool patch_begin(struct patch *p);

/* patch_end -- end a series of changes: every thread sees them when this returns. */
void patch_end(struct patch *p);

/* patch_room -- allocate memory for a thunk.
 *
 * low, high  addresses between which all of it must be; places near high are tried first.
 * size       bytes, at most 4096; 16-aligned.
 * Returns its address, 0 if there is none. It can be executed and read, and is written to by
 * patch_write(). Never given back. Cost one to some thousand system calls.
 */
uint64_t patch_room(uint64_t low, uint64_t high, uint32_t size);

/* patch_room_near -- allocate memory for a thunk that code in [start, end) can jump and refer to.
 *
 * Below the object that holds `start` where possible: above an executable it would be in the
 * way of its brk. As patch_room().
 */
uint64_t patch_room_near(uint64_t start, uint64_t end, uint32_t size);

/* patch_write -- write to a thunk, or to code that no thread can be executing.
 *
 * Returns false, with nothing changed, if the kernel forbids it.
 */
bool patch_write(const struct patch *p, uint64_t address, const void *bytes, uint32_t length);

/* patch_store -- change four bytes of code in one store, while threads may be executing them.
 *
 * address  they must not cross a multiple of 64. The caller makes sure that a thread between two of
 *          the old instructions finds valid code.
 * Returns false, with nothing changed, if the kernel forbids it.
 * Source   measured at all 64 offsets with threads executing the bytes.
 */
bool patch_store(const struct patch *p, uint64_t address, uint32_t word);

/* patch_on_objects -- call `changed` when ld.so has mapped new objects, before their constructors
 * run and before they are relocated, and after objects were unmapped.
 *
 * changed  is called by the thread that opens or closes, with ld.so's lock held: it must not
 *          open, close or look up anything by libdl, nor allocate; _r_debug.r_map is complete.
 *          It may run in any thread, and in a process that is not recorded (gate).
 * Returns false if that is not possible: then new objects are only seen after dlopen().
 * Not async-signal-safe; from recorder_start() or the constructor. Idempotent per function.
 * Source   _r_debug.r_brk, <link.h>: ld.so calls it for debuggers.
 */
bool patch_on_objects(void (*changed)(void));

/* patch_objects_place -- return, while `changed` runs, where ld.so called it, in the form that an
 * event takes for a stack frame (hook_sp()). */
uint64_t patch_objects_place(void);
