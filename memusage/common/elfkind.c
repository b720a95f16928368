/* elfkind.c -- Tell whether a library can be preloaded into a program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/elfkind.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#else
#define OUR_MACHINE EM_NONE
#endif

enum { READ_MAX = 64 << 10 };

/* The start of a file. All accesses to it are bounds-checked by range_at(). */
struct start {
	unsigned char bytes[READ_MAX];
	size_t length;
};

static const void *range_at(const struct start *s, uint64_t offset, uint64_t length)
{
	return offset > s->length || length > s->length - offset ? NULL : s->bytes + offset;
}

static bool read_file_start(const char *file, struct start *s)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n;

	s->length = 0;
	if (fd < 0)
		return false;
	errno = 0;
	while (s->length < READ_MAX &&
	       (n = read(fd, s->bytes + s->length, READ_MAX - s->length)) > 0)
		s->length += (size_t)n;
	close(fd);
	return s->length > 0;
}

static void copy_text(char *to, unsigned int size, const void *from, size_t length)
{
	if (length > size - 1)
		length = size - 1;
	memcpy(to, from, length);
	to[length] = '\0';
}

/* #! /bin/interpreter argument */
static enum elf_kind read_interpreter(const struct start *s, char *interpreter, unsigned int size)
{
	const char *line = (const char *)s->bytes + 2;
	const char *end = memchr(line, '\n', s->length - 2);
	size_t length = end ? (size_t)(end - line) : s->length - 2;

	while (length > 0 && (*line == ' ' || *line == '\t'))
		line++, length--;
	copy_text(interpreter, size, line, length);
	interpreter[strcspn(interpreter, " \t")] = '\0';
	return ELF_SCRIPT;
}

/* Copies the loader's path, or "" if it is beyond the bytes that were read. Returns false if the
 * program has no loader. */
static bool find_loader(const struct start *s, const Elf64_Ehdr *header, char *interpreter,
			unsigned int size)
{
	for (unsigned int i = 0; i < header->e_phnum; i++) {
		Elf64_Phdr segment;
		const void *at = range_at(s, header->e_phoff + (uint64_t)i * sizeof(segment),
					  sizeof(segment));
		const void *path;

		if (!at)
			return true;	/* not readable here: assume that it has one */
		memcpy(&segment, at, sizeof(segment));
		if (segment.p_type != PT_INTERP)
			continue;
		path = range_at(s, segment.p_offset, segment.p_filesz);
		if (path)
			copy_text(interpreter, size, path, segment.p_filesz);
		return true;
	}
	return false;
}

static enum elf_kind classify_elf(const struct start *s, char *interpreter, unsigned int size)
{
	Elf64_Ehdr header;
	const void *at = range_at(s, 0, sizeof(header));

	if (s->bytes[EI_CLASS] != ELFCLASS64)
		return ELF_OTHER_CLASS;
	if (!at)
		return ELF_NO_PROGRAM;
	memcpy(&header, at, sizeof(header));
	if (header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != OUR_MACHINE)
		return ELF_OTHER_MACHINE;
	if (!find_loader(s, &header, interpreter, size))
		return ELF_STATIC;
	if (interpreter[0] && !strstr(interpreter, "ld-linux"))
		return ELF_OTHER_LIBC;
	return ELF_LOADABLE;
}

/* The conditions under which the kernel sets AT_SECURE for a program that we execute. */
static bool is_privileged(const char *file)
{
	struct stat st;

	if (stat(file, &st) < 0)
		return false;
	if ((st.st_mode & S_ISUID) && st.st_uid != getuid())
		return true;
	if ((st.st_mode & S_ISGID) && st.st_gid != getgid())
		return true;
	return getuid() != 0 && getxattr(file, "security.capability", NULL, 0) > 0;
}

enum elf_kind elfkind_of(const char *file, char *interpreter, unsigned int size)
{
	static struct start s;

	interpreter[0] = '\0';
	if (is_privileged(file))
		return ELF_PRIVILEGED;
	if (!read_file_start(file, &s))
		return errno == EACCES || errno == ENOENT ? ELF_UNREADABLE : ELF_LOADABLE;
	if (s.length >= 2 && memcmp(s.bytes, "#!", 2) == 0)
		return read_interpreter(&s, interpreter, size);
	if (s.length > EI_CLASS && memcmp(s.bytes, ELFMAG, SELFMAG) == 0)
		return classify_elf(&s, interpreter, size);
	return ELF_NO_PROGRAM;
}
