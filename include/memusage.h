/* memusage.h -- requests by which a program tells memusage about its memory.
 *
 *	#include <memusage.h>
 *
 *	void *pool_get(struct pool *p, size_t size)
 *	{
 *		void *block = carve(p, size);
 *		MEMUSAGE_MALLOCLIKE_BLOCK(block, size);
 *		return block;
 *	}
 *
 * Nothing has to be linked, and a program that includes this header also runs without memusage:
 * each request is then a load and a branch that is never taken. Under `memusage PROGRAM` a request
 * reaches the recorder with its call stack, as malloc does. The header works in C and C++, in
 * executables of any kind and in shared objects, loaded at the start or later. If NMEMUSAGE is
 * defined, and on anything but ELF on x86-64, requests only evaluate their arguments.
 *
 * All requests may be used by several threads and in signal handlers. A request that interrupts
 * malloc in its own thread is counted as not recorded. errno is kept.
 *
 *	MEMUSAGE_MALLOCLIKE_BLOCK(address, size)
 *		announces a block of memory: from now on it counts like one of malloc's. Inside
 *		a block that counts already (of malloc, or one announced before) it is shown, but no
 *		total counts its bytes again; it ends with the block around it.
 *	MEMUSAGE_FREELIKE_BLOCK(address)
 *		ends such a block.
 *	MEMUSAGE_RESIZEINPLACE_BLOCK(address, old_size, new_size)
 *		gives such a block another size at the same address. old_size is ignored.
 *
 *	MEMUSAGE_CREATE_MEMPOOL(pool)
 *		announces a pool of blocks; `pool` is any address that represents it.
 *	MEMUSAGE_MEMPOOL_ALLOC(pool, address, size)
 *	MEMUSAGE_MEMPOOL_FREE(pool, address)
 *		announce and end a block of the pool, as the first two above.
 *	MEMUSAGE_DESTROY_MEMPOOL(pool)
 *		ends the pool and all its blocks.
 *
 *	MEMUSAGE_MARK(name)
 *		names this moment: a text, of which at most 255 bytes are kept.
 *	MEMUSAGE_PAUSE()
 *	MEMUSAGE_RESUME()
 *		stop and resume the recording of new blocks, in all threads; recording resumes when
 *		each pause has had its resume. Blocks from before are followed to their end.
 *
 *	MEMUSAGE_LABEL(key, value)
 *		labels what this thread allocates from now on, until it sets another value for
 *		the key, or NULL, which ends the label. Both are texts, of which at most 63 and
 *		255 bytes are kept. A thread has up to eight keys at once, a process up to a
 *		thousand different sets of labels: take the kind of a request, not its number. A
 *		thread begins without labels; the child of a fork goes on with those of the
 *		thread that forked.
 *
 *	MEMUSAGE_AD_HOC_EVENT(weight)
 *		counts an event of any kind by its call stack (--mode=ad-hoc).
 *	MEMUSAGE_HISTOGRAM_MEMORY(address)
 *		counts the accesses to each byte of the live block that contains this address, if
 *		accesses are counted.
 *
 *	MEMUSAGE_DO_LEAK_CHECK()
 *		looks for lost blocks now, under memusage --leak-check, whose report tells what it
 *		found. The thread waits for it.
 *	MEMUSAGE_DO_ADDED_LEAK_CHECK()
 *	MEMUSAGE_DO_CHANGED_LEAK_CHECK()
 *	MEMUSAGE_DO_NEW_LEAK_CHECK()
 *		the same; the report has only what has increased, changed, or is new since the last
 *		check.
 *	MEMUSAGE_DO_QUICK_LEAK_CHECK()
 *		the same; the report has only the sums.
 *	MEMUSAGE_COUNT_LEAKS(leaked, dubious, reachable, suppressed)
 *	MEMUSAGE_COUNT_LEAK_BLOCKS(leaked, dubious, reachable, suppressed)
 *		set four variables to the bytes, or blocks, that the last check of the process
 *		called lost, possibly lost, reachable and suppressed: 0 if there was none.
 *
 *	MEMUSAGE_IS_RECORDING()
 *		is an expression: not 0 if requests are recorded.
 *
 * SPDX-License-Identifier: 0BSD
 */
#ifndef MEMUSAGE_H
#define MEMUSAGE_H

#include <stdint.h>

/* The kinds of requests: the first argument of the recorder's function. They are part of the
 * interface: numbers never change. */
enum memusage_request {
	MEMUSAGE_REQUEST_IS_RECORDING = 1,
	MEMUSAGE_REQUEST_MALLOCLIKE = 2,
	MEMUSAGE_REQUEST_FREELIKE = 3,
	MEMUSAGE_REQUEST_RESIZE = 4,
	MEMUSAGE_REQUEST_CREATE_POOL = 5,
	MEMUSAGE_REQUEST_DESTROY_POOL = 6,
	MEMUSAGE_REQUEST_POOL_ALLOC = 7,
	MEMUSAGE_REQUEST_POOL_FREE = 8,
	MEMUSAGE_REQUEST_MARK = 9,
	MEMUSAGE_REQUEST_PAUSE = 10,
	MEMUSAGE_REQUEST_RESUME = 11,
	MEMUSAGE_REQUEST_AD_HOC = 12,
	MEMUSAGE_REQUEST_HISTOGRAM = 13,
	MEMUSAGE_REQUEST_LABEL = 14,
	MEMUSAGE_REQUEST_LEAK_CHECK = 15,
	MEMUSAGE_REQUEST_COUNT_LEAKS = 16
};

/* Losses of a leak check that the report has. The numbers are those of Valgrind's memcheck.h. */
enum memusage_leak_delta {
	MEMUSAGE_LEAK_ANY = 0,
	MEMUSAGE_LEAK_INCREASED = 1,
	MEMUSAGE_LEAK_CHANGED = 2,
	MEMUSAGE_LEAK_NEW = 3
};

typedef uintptr_t (*memusage_request_fn)(uintptr_t request, uintptr_t a, uintptr_t b, uintptr_t c);

#if defined(__x86_64__) && !defined(__ILP32__) && defined(__ELF__) && defined(__GNUC__) && \
	!defined(NMEMUSAGE)

/* memusage_recorder_ -- the recorder's function, NULL if there is no recorder.
 *
 * Every executable and shared object that includes this has one pointer. In a shared object ld.so
 * fills it in, since memusage_request_entry is a weak reference. In an executable linkers resolve
 * the reference to nothing, and the recorder fills it in: a note gives the distance from itself to
 * the pointer. All of this is in assembly, so that link-time optimisation cannot remove it.
 */
static inline __attribute__((always_inline, unused)) memusage_request_fn memusage_recorder_(void)
{
	memusage_request_fn recorder;

	__asm__ volatile(".ifndef .Lmemusage_note\n"
			 ".pushsection .data.rel.memusage,\"awG\",@progbits,"
			 "memusage_entry_,comdat\n"
			 ".balign 8\n"
			 ".weak memusage_entry_\n"
			 ".hidden memusage_entry_\n"
			 ".type memusage_entry_,@object\n"
			 ".size memusage_entry_,8\n"
			 "memusage_entry_:\n"
			 ".weak memusage_request_entry\n"
			 ".quad memusage_request_entry\n"
			 ".popsection\n"
			 ".pushsection .note.memusage,\"a\",@note\n"
			 ".balign 4\n"
			 ".Lmemusage_note:\n"
			 ".long 9, 8, 1\n" /* lengths of name and contents, version */
			 ".asciz \"memusage\"\n"
			 ".balign 4\n"
			 ".quad memusage_entry_ - .\n"
			 ".popsection\n"
			 ".endif\n"
			 "mov{q}\t{memusage_entry_(%%rip), %0|%0, QWORD PTR memusage_entry_[rip]}"
			 : "=r"(recorder));
	return recorder;
}

#define MEMUSAGE_REQUEST_(code, a, b, c)                                                       \
	do {                                                                                   \
		const uintptr_t memusage_a_ = (uintptr_t)(a);                                  \
		const uintptr_t memusage_b_ = (uintptr_t)(b);                                  \
		const uintptr_t memusage_c_ = (uintptr_t)(c);                                  \
		const memusage_request_fn memusage_fn_ = memusage_recorder_();                 \
		if (__builtin_expect(memusage_fn_ != 0, 0))                                    \
			(void)memusage_fn_(code, memusage_a_, memusage_b_, memusage_c_);       \
	} while (0)

/* memusage_is_recording_ -- MEMUSAGE_IS_RECORDING(). */
static inline __attribute__((always_inline, unused)) int memusage_is_recording_(void)
{
	const memusage_request_fn recorder = memusage_recorder_();

	return __builtin_expect(recorder != 0, 0) &&
	       recorder(MEMUSAGE_REQUEST_IS_RECORDING, 0, 0, 0) != 0;
}
#define MEMUSAGE_IS_RECORDING() memusage_is_recording_()

#else

#define MEMUSAGE_REQUEST_(code, a, b, c) ((void)(a), (void)(b), (void)(c))
#define MEMUSAGE_IS_RECORDING() 0

#endif

#define MEMUSAGE_MALLOCLIKE_BLOCK(address, size) \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_MALLOCLIKE, address, size, 0)
#define MEMUSAGE_FREELIKE_BLOCK(address) \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_FREELIKE, address, 0, 0)
#define MEMUSAGE_RESIZEINPLACE_BLOCK(address, old_size, new_size) \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_RESIZE, address, old_size, new_size)

#define MEMUSAGE_CREATE_MEMPOOL(pool) MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_CREATE_POOL, pool, 0, 0)
#define MEMUSAGE_DESTROY_MEMPOOL(pool) MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_DESTROY_POOL, pool, 0, 0)
#define MEMUSAGE_MEMPOOL_ALLOC(pool, address, size) \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_POOL_ALLOC, pool, address, size)
#define MEMUSAGE_MEMPOOL_FREE(pool, address) \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_POOL_FREE, pool, address, 0)

#define MEMUSAGE_MARK(name) MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_MARK, name, 0, 0)
#define MEMUSAGE_PAUSE() MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_PAUSE, 0, 0, 0)
#define MEMUSAGE_RESUME() MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_RESUME, 0, 0, 0)

#define MEMUSAGE_LABEL(key, value) MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_LABEL, key, value, 0)

#define MEMUSAGE_AD_HOC_EVENT(weight) MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_AD_HOC, weight, 0, 0)
#define MEMUSAGE_HISTOGRAM_MEMORY(address) \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_HISTOGRAM, address, 0, 0)

#define MEMUSAGE_DO_LEAK_CHECK() \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_LEAK_CHECK, 0, MEMUSAGE_LEAK_ANY, 0)
#define MEMUSAGE_DO_ADDED_LEAK_CHECK() \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_LEAK_CHECK, 0, MEMUSAGE_LEAK_INCREASED, 0)
#define MEMUSAGE_DO_CHANGED_LEAK_CHECK() \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_LEAK_CHECK, 0, MEMUSAGE_LEAK_CHANGED, 0)
#define MEMUSAGE_DO_NEW_LEAK_CHECK() \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_LEAK_CHECK, 0, MEMUSAGE_LEAK_NEW, 0)
#define MEMUSAGE_DO_QUICK_LEAK_CHECK() \
	MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_LEAK_CHECK, 1, MEMUSAGE_LEAK_ANY, 0)

#define MEMUSAGE_COUNT_LEAKS(leaked, dubious, reachable, suppressed) \
	MEMUSAGE_COUNT_LEAKS_(0, leaked, dubious, reachable, suppressed)
#define MEMUSAGE_COUNT_LEAK_BLOCKS(leaked, dubious, reachable, suppressed) \
	MEMUSAGE_COUNT_LEAKS_(1, leaked, dubious, reachable, suppressed)
#define MEMUSAGE_COUNT_LEAKS_(blocks, leaked, dubious, reachable, suppressed)                  \
	do {                                                                                   \
		uintptr_t memusage_count_[4] = { 0, 0, 0, 0 };                                 \
		MEMUSAGE_REQUEST_(MEMUSAGE_REQUEST_COUNT_LEAKS, memusage_count_, blocks, 0);   \
		(leaked) = memusage_count_[0];                                                 \
		(dubious) = memusage_count_[1];                                                \
		(reachable) = memusage_count_[2];                                              \
		(suppressed) = memusage_count_[3];                                             \
	} while (0)

#endif
