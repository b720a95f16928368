/* blob.c -- The recorder's library as it is put into a process.
 *
 * The library is made for this loader (GNUmakefile, tests/lint/attach.t): it needs no other
 * one, one symbol from outside, and three kinds of relocation. The file is our own, so it is not
 * checked as one of an enemy would have to be.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/blob.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/xmalloc.h"

#define PAGE UINT64_C(4096)
#define BEGIN "attach_begin"
#define DEBUG "_r_debug"

struct tables {
	const Elf64_Sym *symbol;
	const char *names;
	uint64_t relocations, relocations_size;
	const uint32_t *hash; /* of the GNU form */
};

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + PAGE - 1) & -PAGE;
}

static const Elf64_Phdr *parts_of(const struct blob *blob, unsigned int *count)
{
	const Elf64_Ehdr *head = (const void *)blob->file;

	*count = head->e_phnum;
	return (const void *)(blob->file + head->e_phoff);
}

static int read_file(struct blob *blob, const char *file, struct mu_error *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s: %m", file);
	blob->file = map;
	blob->file_size = (uint64_t)st.st_size;
	if (blob->file_size < sizeof(Elf64_Ehdr) || memcmp(map, ELFMAG, SELFMAG) != 0)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "%s: it is no library", file);
	return 0;
}

static void lay_out(struct blob *blob)
{
	unsigned int count;
	const Elf64_Phdr *part = parts_of(blob, &count);

	for (unsigned int i = 0; i < count; i++) {
		if (part[i].p_type == PT_LOAD)
			blob->size = page_up(part[i].p_vaddr + part[i].p_memsz);
	}
	blob->image = xcalloc(1, blob->size);
	for (unsigned int i = 0; i < count; i++) {
		if (part[i].p_type != PT_LOAD)
			continue;
		memcpy(blob->image + part[i].p_vaddr, blob->file + part[i].p_offset,
		       part[i].p_filesz);
		if (part[i].p_flags & PF_X)
			blob->text = (struct mu_own_mapping){ part[i].p_vaddr & -PAGE,
							      page_up(part[i].p_memsz) };
	}
}

static struct tables read_tables(const struct blob *blob)
{
	struct tables t = { .symbol = NULL };
	unsigned int count;
	const Elf64_Phdr *part = parts_of(blob, &count);
	const Elf64_Dyn *d = NULL;

	for (unsigned int i = 0; i < count; i++) {
		if (part[i].p_type == PT_DYNAMIC)
			d = (const void *)(blob->image + part[i].p_vaddr);
	}
	for (; d && d->d_tag != DT_NULL; d++) {
		const void *at = blob->image + d->d_un.d_ptr;

		if (d->d_tag == DT_SYMTAB)
			t.symbol = at;
		else if (d->d_tag == DT_STRTAB)
			t.names = at;
		else if (d->d_tag == DT_RELA)
			t.relocations = d->d_un.d_ptr;
		else if (d->d_tag == DT_RELASZ)
			t.relocations_size = d->d_un.d_val;
		else if (d->d_tag == DT_GNU_HASH)
			t.hash = at;
	}
	return t;
}

/* Returns the value of a symbol that the library defines, 0 if there is none. */
static uint64_t find_symbol(const struct tables *t, const char *name)
{
	const uint32_t *bucket = t->hash + 4 + t->hash[2] * 2, *chain = bucket + t->hash[0];

	for (uint32_t i = 0; i < t->hash[0]; i++) {
		for (uint32_t k = bucket[i]; k >= t->hash[1]; k++) {
			if (strcmp(t->names + t->symbol[k].st_name, name) == 0)
				return t->symbol[k].st_value;
			if (chain[k - t->hash[1]] & 1)
				break;
		}
	}
	return 0;
}

int blob_read(struct blob *blob, const char *file, struct mu_error *err)
{
	struct tables t;

	*blob = (struct blob){ .file = NULL };
	if (read_file(blob, file, err) < 0)
		return -1;
	lay_out(blob);
	t = read_tables(blob);
	if (t.hash && t.symbol && t.names)
		blob->begin = find_symbol(&t, BEGIN);
	if (!blob->begin)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "%s: it lacks %s", file, BEGIN);
	return 0;
}

/* Returns false for a relocation or a symbol that the library must not have. */
static bool relocate(struct blob *blob, uint64_t start, uint64_t debug)
{
	const struct tables t = read_tables(blob);
	const uint64_t count = t.relocations_size / sizeof(Elf64_Rela);
	const Elf64_Rela *r = (const void *)(blob->image + t.relocations);

	for (uint64_t i = 0; i < count; i++, r++) {
		uint64_t *word = (uint64_t *)(blob->image + r->r_offset);
		const Elf64_Sym *symbol = &t.symbol[ELF64_R_SYM(r->r_info)];
		const uint64_t value = symbol->st_value + (uint64_t)r->r_addend;

		switch (ELF64_R_TYPE(r->r_info)) {
		case R_X86_64_RELATIVE:
			*word = start + (uint64_t)r->r_addend;
			break;
		case R_X86_64_TPOFF64:
			*word = MU_ATTACH_TLS + value;
			break;
		case R_X86_64_GLOB_DAT:
			if (symbol->st_shndx == SHN_UNDEF &&
			    strcmp(t.names + symbol->st_name, DEBUG) != 0)
				return false;
			*word = symbol->st_shndx == SHN_UNDEF ? debug : start + value;
			break;
		default:
			return false;
		}
	}
	return true;
}

/* No page is ever writable and executable: what it holds is written from outside. */
static bool map_part(struct blob *blob, struct borrowed *b, const struct blob_place *place,
		     const Elf64_Phdr *part)
{
	const uint64_t low = part->p_vaddr & -PAGE;
	const uint64_t high = page_up(part->p_vaddr + part->p_memsz);
	const uint64_t filled = part->p_vaddr + part->p_filesz - low;
	const uint64_t protection = (part->p_flags & PF_R ? PROT_READ : 0) |
				    (part->p_flags & PF_W ? PROT_WRITE : 0) |
				    (part->p_flags & PF_X ? PROT_EXEC : 0);
	const bool is_anonymous = part->p_flags & PF_W;

	if (!is_anonymous && pwrite(place->file, blob->image + low, filled,
				    (off_t)(place->offset + low)) != (ssize_t)filled)
		return false;
	return CALL(b, SYS_mmap, place->start + low, high - low, protection,
		    MAP_PRIVATE | MAP_FIXED | (is_anonymous ? MAP_ANONYMOUS : 0),
		    is_anonymous ? ~UINT64_C(0) : (uint64_t)place->remote_file,
		    is_anonymous ? 0 : place->offset + low) == (long)(place->start + low) &&
	       (!is_anonymous ||
		target_write(b->t, place->start + low, blob->image + low, filled));
}

int blob_load(struct blob *blob, struct borrowed *b, const struct blob_place *place,
	      struct mu_error *err)
{
	unsigned int count;
	const Elf64_Phdr *part = parts_of(blob, &count);

	if (!relocate(blob, place->start, b->t->debug))
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "the recorder's library is damaged");
	for (unsigned int i = 0; i < count; i++) {
		if (part[i].p_type == PT_LOAD && !map_part(blob, b, place, &part[i]))
			return mu_error_set(err, MU_ERROR_SYSTEM, 0,
					    "it may not map code that is in no file on a disk "
					    "(SELinux, or a limit of its memory)");
	}
	return 0;
}

void blob_free(struct blob *blob)
{
	if (blob->file)
		munmap(blob->file, blob->file_size);
	free(blob->image);
	*blob = (struct blob){ .file = NULL };
}
