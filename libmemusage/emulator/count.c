/* count.c -- counts each read and write of the emulated program.
 *
 * An instruction nearly always comes back to the block that it touched last, with accesses of one
 * size. So each has a place where these are kept, and compares: the call for an access costs 3 ns
 * then. The search for the block costs 10.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/emulator/count.h"

#include <string.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/hooks/access_count.h"

#define PLACES 4096u	   /* of the program while it has one thread */
#define THREAD_PLACES 256u /* of each of several */

struct accesses *access_table_of_guest;

/* The block that was found last. Its record tells whether it is still there: a record that contains
 * the address belongs to a live block, maybe to another one, and `kind` tells whether the cell is
 * that block's. */
struct last_access {
	const struct access_block *block;
	struct mu_access *cell;
	uint64_t kind;
	uint32_t info; /* of the access, as qemu has it */
	uint32_t bytes;
	uint32_t reads, writes; /* bytes, or 0 */
};

/* Those of an instruction, for reads and for writes. An atomic operation is both, and a write
 * here. */
struct last_accesses {
	struct last_access of[2];
};

/* The state of one thread. */
struct counter {
	struct access_part own;
	struct last_accesses places[THREAD_PLACES];
};

static const struct access_block nothing;
static struct last_accesses program[PLACES];
static __thread struct counter *mine __attribute__((tls_model("initial-exec")));

static void forget_places(struct last_accesses *places, unsigned int number)
{
	for (unsigned int i = 0; i < number; i++)
		places[i].of[0].block = places[i].of[1].block = &nothing;
}

static bool begin_counter(void)
{
	if (!mine) {
		mine = memory_map(sizeof(*mine));
		if (mine)
			forget_places(mine->places, THREAD_PLACES);
	}
	return mine;
}

/* Returns the site, and whether each byte is counted, in one word. */
static inline uint64_t kind_of_block(const struct access_block *block)
{
	uint64_t kind;

	_Static_assert(offsetof(struct access_block, is_counted) ==
			       offsetof(struct access_block, site) + sizeof(uint32_t),
		       "one word");
	memcpy(&kind, &block->site, sizeof(kind));
	return kind;
}

static inline bool counts_each_byte(const struct last_access *place)
{
	return place->kind >> 32;
}

static __attribute__((noinline)) void count_each_byte(const struct last_access *place,
						      uint64_t address)
{
	uint64_t offset = address - place->block->start;

	accesses_count_bytes(place->cell, place->block, offset, place->bytes);
	if (place->reads && place->writes)
		accesses_count_bytes(place->cell, place->block, offset, place->bytes);
}

static inline __attribute__((always_inline)) void add_access(const struct last_access *place,
							     uint64_t address)
{
	place->cell->read_bytes += place->reads;
	place->cell->written_bytes += place->writes;
	if (counts_each_byte(place))
		count_each_byte(place, address);
}

/* Finds the block, if there is one, and remembers it. */
static __attribute__((noinline)) void find_block(struct last_access *place, uint32_t info,
						 uint64_t address)
{
	const struct access_block *block = access_table_of_guest ? accesses_find(address) : NULL;

	if (likely(!block) || unlikely(!mine && !begin_counter()))
		return;
	struct mu_access *cell = accesses_cell(&mine->own, block->site);
	if (!cell)
		return;
	uint32_t bytes = 1u << qemu_plugin_mem_size_shift(info);
	*place = (struct last_access){ block, cell, kind_of_block(block), info, bytes,
				 info & QEMU_READ_BIT ? bytes : 0,
				 info & QEMU_WRITE_BIT ? bytes : 0 };
	add_access(place, address);
}

static inline __attribute__((always_inline)) void count_access(struct last_accesses *places,
							       uint32_t info, uint64_t address)
{
	struct last_access *place = &places->of[(info & QEMU_WRITE_BIT) != 0];
	const struct access_block *block = place->block;

	if (likely(address - block->start < block->size) &&
	    likely(kind_of_block(block) == place->kind) && likely(info == place->info))
		add_access(place, address);
	else
		find_block(place, info, address);
}

static void on_access_alone(unsigned int vcpu, uint32_t info, uint64_t address, void *places)
{
	(void)vcpu;
	count_access(places, info, address);
}

static void on_access_of_many(unsigned int vcpu, uint32_t info, uint64_t address, void *number)
{
	(void)vcpu;
	if (likely(mine) || begin_counter())
		count_access(&mine->places[(uint64_t)number], info, address);
}

/* One call for both kinds, since qemu 7.2 drops a call that follows one for another kind. */
void count_instruction(struct qemu_plugin_insn *insn, bool many)
{
	uint64_t address = qemu_plugin_insn_vaddr(insn);

	if (many)
		qemu_plugin_register_vcpu_mem_cb(insn, on_access_of_many, QEMU_NO_REGISTERS,
						 QEMU_READ_OR_WRITE,
						 (void *)(address & (THREAD_PLACES - 1)));
	else
		qemu_plugin_register_vcpu_mem_cb(insn, on_access_alone, QEMU_NO_REGISTERS,
						 QEMU_READ_OR_WRITE,
						 &program[address & (PLACES - 1)]);
}

void count_begin(void)
{
	count_thread_ended();
	forget_places(program, PLACES);
}

void count_end(void)
{
	access_table_of_guest = NULL;
	count_begin();
}

void count_thread_ended(void)
{
	if (!mine)
		return;
	if (mine->own.cell_of)
		memory_unmap(mine->own.cell_of, (uint64_t)mine->own.sites * sizeof(uint32_t));
	memory_unmap(mine, sizeof(*mine));
	mine = NULL;
}
