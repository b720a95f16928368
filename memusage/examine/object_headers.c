/* object_headers.c -- The program headers of an object that is loaded in a process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/object_headers.h"

#include <elf.h>
#include <string.h>

unsigned int object_headers_read(const struct address_space *s, uint64_t start,
				 ElfW(Phdr) part[OBJECT_HEADERS_MOST])
{
	ElfW(Ehdr) head;
	size_t bytes;

	if (address_space_read(s, start, &head, sizeof(head)) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof(*part) ||
	    head.e_phnum > OBJECT_HEADERS_MOST)
		return 0;
	bytes = head.e_phnum * sizeof(*part);
	return address_space_read(s, start + head.e_phoff, part, bytes) == bytes ? head.e_phnum : 0;
}
