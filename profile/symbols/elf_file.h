/* elf_file.h -- what we need to know of an ELF file: its build-id, its sections, its symbols.
 *
 * 64-bit little-endian files only, the ones that can be recorded. The file may be damaged or
 * made to harm: everything is bounded by its size.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"

enum { BUILD_ID_MAX = 32 };	/* bytes, as in struct mu_module; known ones have 8 to 20 */

struct build_id {
	uint8_t byte[BUILD_ID_MAX];
	uint32_t length;	/* 0: none */
};

/* Mapped, read-only. If the file is truncated meanwhile, a read raises SIGBUS: read it where that
 * is no loss, in the child of symbols_resolve(). */
struct elf_file {
	int fd;			/* -1: closed */
	const uint8_t *data;
	uint64_t size;
	uint64_t sections;	/* offset of the section headers */
	uint32_t section_count;
	uint32_t name_section;
	uint64_t segments;	/* offset of the program headers */
	uint32_t segment_count;
};

struct elf_section {
	const uint8_t *data;	/* NULL: takes no room in the file */
	uint64_t size;
	uint32_t type;		/* SHT_... */
	uint32_t link;
};

/* elf_file_open -- map a file.
 *
 * root  directory that PATH's leading '/' means, and that symbolic links cannot leave (where
 *       the kernel can do that, Linux 5.6); NULL or "" for the real one.
 * path  only a regular file is opened.
 * Returns 0, or -1 with ERR; F is closed then.
 */
int elf_file_open(struct elf_file *f, const char *root, const char *path, struct mu_error *err);

/* elf_file_take -- the same for a descriptor, which belongs to F from here on, or is closed. */
int elf_file_take(struct elf_file *f, int fd, struct mu_error *err);

/* elf_file_close -- give the mapping back. Fine twice. */
void elf_file_close(struct elf_file *f);

/* elf_file_same -- whether the two are one file on disk. */
bool elf_file_same(const struct elf_file *a, const struct elf_file *b);

/* elf_file_section -- look for a section by its NAME; false if there is none in the file. */
bool elf_file_section(const struct elf_file *f, const char *name, struct elf_section *section);

/* elf_file_build_id -- the build-id note, from the segments or, without any, the sections.
 *
 * Returns false, and a length of 0, if there is none.
 */
bool elf_file_build_id(const struct elf_file *f, struct build_id *id);

/* elf_file_debuglink -- the name of the separate debug file, and its CRC-32.
 *
 * Returns NULL without a link that is whole.
 * Source GDB manual, "Separate Debug Files".
 */
const char *elf_file_debuglink(const struct elf_file *f, uint32_t *crc);

/* elf_file_is_code -- Tells whether an address is in an executable segment of the file. */
bool elf_file_is_code(const struct elf_file *f, uint64_t address);

/* One symbol of a symbol table. */
struct elf_symbol {
	uint64_t address;	/* the file's own, without bias */
	uint64_t size;
	const char *name;	/* zero-terminated, in the mapping */
	uint8_t type;		/* STT_... */
	uint8_t binding;	/* STB_... */
	uint8_t visibility;	/* STV_...; of local ones DEFAULT means static */
};

typedef void (*elf_symbol_fn)(const struct elf_symbol *symbol, void *data);

/* elf_file_symbols -- call VISIT for every defined symbol with a name.
 *
 * table  SHT_SYMTAB or SHT_DYNSYM.
 */
void elf_file_symbols(const struct elf_file *f, uint32_t table, elf_symbol_fn visit, void *data);
