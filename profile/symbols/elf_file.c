/* elf_file.c -- what we need to know of an ELF file: its build-id, its sections, its symbols.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/elf_file.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/file.h"

/* LENGTH bytes at OFFSET of the file, or NULL if they are not all inside. */
static const void *bytes_at_offset(const struct elf_file *f, uint64_t offset, uint64_t length)
{
	return offset <= f->size && length <= f->size - offset ? f->data + offset : NULL;
}

static bool read_section_header(const struct elf_file *f, uint64_t index, Elf64_Shdr *header)
{
	if (index >= f->section_count)
		return false;
	memcpy(header, f->data + f->sections + index * sizeof(*header), sizeof(*header));
	return true;
}

static bool read_segment_header(const struct elf_file *f, uint64_t index, Elf64_Phdr *header)
{
	if (index >= f->segment_count)
		return false;
	memcpy(header, f->data + f->segments + index * sizeof(*header), sizeof(*header));
	return true;
}

/* Counts beyond 16 bits stand in the first section header. */
static void find_header_tables(struct elf_file *f, const Elf64_Ehdr *head)
{
	Elf64_Shdr first;
	uint64_t count = head->e_shnum, segments = head->e_phnum;

	f->name_section = head->e_shstrndx;
	if (head->e_shoff && head->e_shentsize == sizeof(first) &&
	    bytes_at_offset(f, head->e_shoff, sizeof(first))) {
		memcpy(&first, f->data + head->e_shoff, sizeof(first));
		count = count ? count : first.sh_size;
		if (f->name_section == SHN_XINDEX)
			f->name_section = first.sh_link;
		if (segments == PN_XNUM)
			segments = first.sh_info;
		if (count <= f->size / sizeof(first) &&
		    bytes_at_offset(f, head->e_shoff, count * sizeof(first))) {
			f->sections = head->e_shoff;
			f->section_count = (uint32_t)count;
		}
	}
	if (head->e_phentsize == sizeof(Elf64_Phdr) &&
	    bytes_at_offset(f, head->e_phoff, segments * sizeof(Elf64_Phdr))) {
		f->segments = head->e_phoff;
		f->segment_count = (uint32_t)segments;
	}
}

static int map_elf_file(struct elf_file *f, struct mu_error *err)
{
	struct stat st;
	Elf64_Ehdr head;
	void *data;

	if (fstat(f->fd, &st) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	if (st.st_size < (off_t)sizeof(head))
		return mu_error_set(err, MU_ERROR_TRUNCATED, 0, "too short for an ELF file");
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, f->fd, 0);
	if (data == MAP_FAILED)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot map it: %m");
	f->data = data;
	f->size = (uint64_t)st.st_size;
	memcpy(&head, data, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "not an ELF file of this machine");
	find_header_tables(f, &head);
	return 0;
}

int elf_file_take(struct elf_file *f, int fd, struct mu_error *err)
{
	*f = (struct elf_file){ .fd = fd };
	if (map_elf_file(f, err) < 0) {
		elf_file_close(f);
		return -1;
	}
	return 0;
}

int elf_file_open(struct elf_file *f, const char *root, const char *path, struct mu_error *err)
{
	int fd = file_open_below(root, path);

	*f = (struct elf_file){ .fd = -1 };
	return fd < 0 ? mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m") : elf_file_take(f, fd, err);
}

void elf_file_close(struct elf_file *f)
{
	if (f->data)
		munmap((void *)(uintptr_t)f->data, f->size);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct elf_file){ .fd = -1 };
}

bool elf_file_same(const struct elf_file *a, const struct elf_file *b)
{
	struct stat sa, sb;

	return fstat(a->fd, &sa) == 0 && fstat(b->fd, &sb) == 0 && sa.st_dev == sb.st_dev &&
	       sa.st_ino == sb.st_ino;
}

/* The zero-terminated text at OFFSET of a string table, or NULL. */
static const char *text_at_offset(const struct elf_section *strings, uint64_t offset)
{
	if (!strings->data || offset >= strings->size ||
	    !memchr(strings->data + offset, '\0', strings->size - offset))
		return NULL;
	return (const char *)strings->data + offset;
}

static void locate_section_data(const struct elf_file *f, const Elf64_Shdr *header,
				struct elf_section *section)
{
	*section = (struct elf_section){ .type = header->sh_type, .link = header->sh_link };
	if (header->sh_type == SHT_NOBITS)
		return;
	section->data = bytes_at_offset(f, header->sh_offset, header->sh_size);
	section->size = section->data ? header->sh_size : 0;
}

bool elf_file_section(const struct elf_file *f, const char *name, struct elf_section *section)
{
	struct elf_section names;
	Elf64_Shdr header;

	if (!read_section_header(f, f->name_section, &header))
		return false;
	locate_section_data(f, &header, &names);
	for (uint32_t i = 0; read_section_header(f, i, &header); i++) {
		const char *its = text_at_offset(&names, header.sh_name);

		if (!its || strcmp(its, name) != 0)
			continue;
		locate_section_data(f, &header, section);
		return section->data != NULL;
	}
	return false;
}

static uint64_t round_up_to_four(uint64_t bytes)
{
	return (bytes + 3) & ~UINT64_C(3);
}

static bool find_build_id_note(const uint8_t *notes, uint64_t size, struct build_id *id)
{
	static const char owner[4] = "GNU";
	Elf64_Nhdr note;

	while (notes && size >= sizeof(note)) {
		const uint8_t *name = notes + sizeof(note);
		uint64_t length;

		memcpy(&note, notes, sizeof(note));
		length = sizeof(note) + round_up_to_four(note.n_namesz) +
			 round_up_to_four(note.n_descsz);
		if (length > size)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(owner) &&
		    memcmp(name, owner, sizeof(owner)) == 0 && note.n_descsz > 0) {
			id->length = note.n_descsz < BUILD_ID_MAX ? note.n_descsz : BUILD_ID_MAX;
			memcpy(id->byte, name + sizeof(owner), id->length);
			return true;
		}
		notes += length;
		size -= length;
	}
	return false;
}

bool elf_file_build_id(const struct elf_file *f, struct build_id *id)
{
	struct elf_section section;
	Elf64_Phdr segment;

	*id = (struct build_id){ .length = 0 };
	for (uint32_t i = 0; read_segment_header(f, i, &segment); i++)
		if (segment.p_type == PT_NOTE &&
		    find_build_id_note(bytes_at_offset(f, segment.p_offset, segment.p_filesz),
				       segment.p_filesz, id))
			return true;
	/* A separate debug file has the headers of the segments, but not their contents. */
	return elf_file_section(f, ".note.gnu.build-id", &section) &&
	       find_build_id_note(section.data, section.size, id);
}

const char *elf_file_debuglink(const struct elf_file *f, uint32_t *crc)
{
	struct elf_section section;
	const char *name;
	uint64_t place;

	if (!elf_file_section(f, ".gnu_debuglink", &section))
		return NULL;
	name = text_at_offset(&section, 0);
	if (!name || !*name || strchr(name, '/'))
		return NULL;
	place = round_up_to_four(strlen(name) + 1);
	if (place + sizeof(*crc) > section.size)
		return NULL;
	memcpy(crc, section.data + place, sizeof(*crc));
	return name;
}

bool elf_file_is_code(const struct elf_file *f, uint64_t address)
{
	Elf64_Phdr segment;

	for (uint32_t i = 0; read_segment_header(f, i, &segment); i++)
		if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
		    address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_memsz)
			return true;
	return false;
}

static void visit_symbol_table(const struct elf_section *table, const struct elf_section *names,
			       elf_symbol_fn visit, void *data)
{
	bool is_behind_files = false;
	Elf64_Sym entry;

	for (uint64_t i = 0; i + sizeof(entry) <= table->size; i += sizeof(entry)) {
		struct elf_symbol symbol;

		memcpy(&entry, table->data + i, sizeof(entry));
		if (ELF64_ST_TYPE(entry.st_info) == STT_FILE)
			is_behind_files = entry.st_name == 0;
		if (entry.st_shndx == SHN_UNDEF || entry.st_name == 0)
			continue;
		symbol = (struct elf_symbol){ .address = entry.st_value, .size = entry.st_size,
					      .name = text_at_offset(names, entry.st_name),
					      .type = ELF64_ST_TYPE(entry.st_info),
					      .binding = ELF64_ST_BIND(entry.st_info),
					      .visibility = ELF64_ST_VISIBILITY(entry.st_other) };
		/* GNU ld makes hidden symbols local, behind a file without a name. */
		if (is_behind_files && symbol.binding == STB_LOCAL &&
		    symbol.visibility == STV_DEFAULT)
			symbol.visibility = STV_HIDDEN;
		if (symbol.name && *symbol.name)
			visit(&symbol, data);
	}
}

void elf_file_symbols(const struct elf_file *f, uint32_t table, elf_symbol_fn visit, void *data)
{
	struct elf_section section, names;
	Elf64_Shdr header, strings;

	for (uint32_t i = 0; read_section_header(f, i, &header); i++) {
		if (header.sh_type != table || header.sh_entsize != sizeof(Elf64_Sym) ||
		    !read_section_header(f, header.sh_link, &strings))
			continue;
		locate_section_data(f, &header, &section);
		locate_section_data(f, &strings, &names);
		visit_symbol_table(&section, &names, visit, data);
	}
}
