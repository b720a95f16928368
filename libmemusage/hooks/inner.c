/* inner.c -- redirecting the C library's own calls of copying functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/inner.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "libmemusage/base/lookup.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/hooks/next.h"
#include "recording/recording.h"

#ifdef __x86_64__
#define IRELATIVE R_X86_64_IRELATIVE
#else
#define IRELATIVE R_AARCH64_IRELATIVE
#endif

/* Our function for an ifunc symbol of the C library. */
struct stand_in {
	const char *name;
	void *function;
	uint64_t chooser; /* address of the symbol, in the library */
};

#define STAND_IN(name) { #name, (void *)(name), 0 }

/* glibc 2.38 and later may be built with _FORTIFY_SOURCE itself. No header declares these. */
void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);

static struct stand_in stand_ins[] = {
	STAND_IN(memcpy), STAND_IN(memmove), STAND_IN(mempcpy), STAND_IN(strcpy),
	STAND_IN(stpcpy), STAND_IN(strncpy), STAND_IN(stpncpy), STAND_IN(wcscpy),
	STAND_IN(__memcpy_chk), STAND_IN(__memmove_chk), STAND_IN(__mempcpy_chk),
};

struct relocations {
	const ElfW(Rela) * first;
	size_t count;
};

static uintptr_t dynamic_address(const struct link_map *object, const ElfW(Dyn) * entry)
{
	uintptr_t value = entry->d_un.d_ptr;

	return value < object->l_addr ? value + object->l_addr : value;
}

/* Finds both tables of an object, since either may hold such relocations. */
static void find_relocations(const struct link_map *object, struct relocations found[2])
{
	for (const ElfW(Dyn) *entry = object->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_RELA)
			found[0].first = (const ElfW(Rela) *)dynamic_address(object, entry);
		else if (entry->d_tag == DT_RELASZ)
			found[0].count = entry->d_un.d_val / sizeof(ElfW(Rela));
		else if (entry->d_tag == DT_JMPREL)
			found[1].first = (const ElfW(Rela) *)dynamic_address(object, entry);
		else if (entry->d_tag == DT_PLTRELSZ)
			found[1].count = entry->d_un.d_val / sizeof(ElfW(Rela));
	}
}

/* Returns whether ld.so made the place read-only after it had filled it in. */
static bool is_read_only(const struct link_map *object, uint64_t place)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)object->l_addr;
	const ElfW(Phdr) *part = (const ElfW(Phdr) *)(object->l_addr + header->e_phoff);

	for (unsigned int i = 0; i < header->e_phnum; i++)
		if (part[i].p_type == PT_GNU_RELRO &&
		    place - object->l_addr - part[i].p_vaddr < part[i].p_memsz)
			return true;
	return false;
}

static bool write_slot(const struct link_map *object, uint64_t *slot, void *function)
{
	uint64_t page = (uint64_t)slot & -(uint64_t)MU_PAGE;
	bool sealed = is_read_only(object, (uint64_t)slot);

	if (sealed && sys_failed(SYS3(SYS_mprotect, page, MU_PAGE, PROT_READ | PROT_WRITE)))
		return false;
	__atomic_store_n(slot, (uint64_t)function, __ATOMIC_RELEASE);
	if (sealed)
		SYS3(SYS_mprotect, page, MU_PAGE, PROT_READ);
	return true;
}

static const struct stand_in *find_stand_in(uint64_t chooser)
{
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(*stand_ins); i++)
		if (stand_ins[i].chooser && stand_ins[i].chooser == chooser)
			return &stand_ins[i];
	return NULL;
}

static bool redirect_slots(const struct link_map *object, const struct relocations *table)
{
	bool is_done = false;

	for (size_t i = 0; i < table->count; i++) {
		const ElfW(Rela) *entry = &table->first[i];
		if (ELF64_R_TYPE(entry->r_info) != IRELATIVE)
			continue;
		const struct stand_in *found =
			find_stand_in(object->l_addr + (uint64_t)entry->r_addend);
		uint64_t *slot = (uint64_t *)(object->l_addr + entry->r_offset);
		if (found && write_slot(object, slot, found->function))
			is_done = true;
	}
	return is_done;
}

bool inner_redirect(void)
{
	const struct link_map *library = lookup_object("gnu_get_libc_version");
	struct relocations tables[2] = { { NULL, 0 }, { NULL, 0 } };

	if (!library)
		return false;
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(*stand_ins); i++)
		stand_ins[i].chooser = (uint64_t)lookup_in(library, stand_ins[i].name);
	find_relocations(library, tables);
	bool is_first = redirect_slots(library, &tables[0]);
	return redirect_slots(library, &tables[1]) || is_first;
}
