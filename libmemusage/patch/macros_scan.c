/* macros_scan.c -- finding requests in the code of an object.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/patch/macros.h"
#include "libmemusage/unwind/cfi.h"

#define CHUNK (UINT64_C(64) << 10)

/* rolq $3, $13, $61, $51 of rdi; xchgq rbx, rbx. Other ends mean other things, in Valgrind's own
 * libraries only. */
static const uint8_t request[MACROS_BYTES] = { 0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7,
					       0x0d, 0x48, 0xc1, 0xc7, 0x3d, 0x48, 0xc1,
					       0xc7, 0x33, 0x48, 0x87, 0xdb };

struct macro_scan {
	const struct object *object;
	const uint8_t *tables; /* .eh_frame_hdr */
	void (*found)(uint64_t address, void *data);
	void *data;
	uint8_t skip[256]; /* by the last byte of what is compared: how far to go on */
};

static uint8_t chunk[CHUNK];

static void make_skip_table(struct macro_scan *s)
{
	memset(s->skip, MACROS_BYTES, sizeof(s->skip));
	for (unsigned int i = 0; i < MACROS_BYTES - 1; i++)
		s->skip[request[i]] = (uint8_t)(MACROS_BYTES - 1 - i);
}

static void report_candidate(const struct macro_scan *s, uint64_t address)
{
	const uint8_t *code = (const uint8_t *)address;

	if (!memcmp(code, request, MACROS_BYTES) && cfi_covers(s->tables, address) &&
	    cfi_covers(s->tables, address + MACROS_BYTES - 1))
		s->found(address, s->data);
}

/* bytes  those at `address`, or a copy of them. */
static void scan_code_bytes(const struct macro_scan *s, const uint8_t *bytes, uint64_t length,
			    uint64_t address)
{
	uint64_t i = MACROS_BYTES - 1;

	while (i < length) {
		if (bytes[i] == request[MACROS_BYTES - 1] &&
		    !memcmp(bytes + i - (MACROS_BYTES - 1), request, MACROS_BYTES))
			report_candidate(s, address + i - (MACROS_BYTES - 1));
		i += s->skip[bytes[i]];
	}
}

static void scan_file_part(const struct macro_scan *s, int fd, const ElfW(Phdr) * part,
			   uint64_t address)
{
	uint64_t done = 0;

	while (part->p_filesz - done >= MACROS_BYTES) {
		uint64_t want = part->p_filesz - done < CHUNK ? part->p_filesz - done : CHUNK;
		long got = SYS4(SYS_pread64, fd, chunk, want, part->p_offset + done);
		if (sys_failed(got) || (uint64_t)got < MACROS_BYTES)
			return;
		scan_code_bytes(s, chunk, (uint64_t)got, address + done);
		done += (uint64_t)got - (MACROS_BYTES - 1);
	}
}

/* Opens the file that was loaded. If it was replaced meanwhile, only places that are in memory,
 * too, are found. */
static int open_object_file(const struct object *object)
{
	const char *name = object->map->l_name;
	long fd;

	if (object->map == _r_debug.r_map)
		name = "/proc/self/exe";
	if (!name || !name[0])
		return -1;
	fd = SYS4(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
	return sys_failed(fd) ? -1 : (int)fd;
}

void macros_scan(const struct object *object, void (*found)(uint64_t address, void *data),
		 void *data)
{
	struct macro_scan s = {
		.object = object, .tables = object_tables(object), .found = found, .data = data
	};
	int fd = s.tables ? open_object_file(object) : -1;

	make_skip_table(&s);
	for (unsigned int i = 0; s.tables && i < object->parts; i++) {
		const ElfW(Phdr) *part = &object->part[i];
		uint64_t start = object->map->l_addr + part->p_vaddr;
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		if (fd >= 0)
			scan_file_part(&s, fd, part, start);
		else
			scan_code_bytes(&s, (const uint8_t *)start, part->p_filesz, start);
	}
	if (fd >= 0)
		SYS1(SYS_close, fd);
}
