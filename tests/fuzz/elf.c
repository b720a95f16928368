/* elf.c -- a damaged ELF file or perf map is read within its bounds.
 *
 * Only our own readers: libdw's run in a child for what they may do.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/model/shortname.h"
#include "profile/symbols/elf_file.h"
#include "profile/symbols/perf_map.h"
#include "profile/symbols/symtab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void offer_start(const struct elf_symbol *symbol, void *data)
{
	char text[64];

	shortname(symbol->name, text, sizeof(text));
	symtab_offer_start(data, symbol);
}

static void offer_name(const struct elf_symbol *symbol, void *data)
{
	symtab_offer_name(data, symbol);
}

static void ignore(size_t request, const struct raw_level *level, size_t count, void *data)
{
	*(size_t *)data += request + strlen(level->name) + count;
}

static void read_elf(int fd)
{
	struct symtab_hit hit[16] = { { .address = 0 } };
	struct symtab t = { .hit = hit, .count = 16 };
	struct elf_section section;
	struct elf_file elf;
	struct build_id id;
	uint32_t crc;

	if (elf_file_take(&elf, fd, NULL) < 0)
		return;
	t.code = &elf;
	for (uint64_t i = 0; i < 16; i++)
		hit[i].address = 0x1000 + i * 8;
	elf_file_build_id(&elf, &id);
	elf_file_debuglink(&elf, &crc);
	elf_file_section(&elf, ".debug_info", &section);
	for (uint32_t table = SHT_SYMTAB; table <= SHT_DYNSYM; table += SHT_DYNSYM - SHT_SYMTAB) {
		elf_file_symbols(&elf, table, offer_start, &t);
		symtab_settle(&t);
		elf_file_symbols(&elf, table, offer_name, &t);
	}
	elf_file_close(&elf);
}

static void read_map(int fd)
{
	struct symbols_request request[16] = { { .address = 0 } };
	struct symbols_module module = { .path = NULL };
	char path[32];
	struct symbols_options o = { .perf_map = path };
	size_t sum = 0;
	struct symbols_job job = { .module = &module, .request = request, .end = 16,
				   .options = &o, .found = ignore, .data = &sum };

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (uint64_t i = 0; i < 16; i++)
		request[i].address = 0x1000 + i * 8;
	perf_map_read(&job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	read_map(fd);
	read_elf(fd);
	return 0;
}
