/* modules.c -- the table of objects, which ld.so's lock-free look-up finds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "libmemusage/base/emulated_pause.h"
#include "libmemusage/base/maps.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/unwind/cfi.h"

#define FIRST_LOG2 4

/* Under the lock of sites.c. */
static struct {
	uint64_t start, end; /* of the module that was found last */
	uint64_t number;     /* its number */
	/* Working memory of modules_note(): a signal handler's stack may have no room for it. */
	char path[MODULES_PATH];
	struct mu_module module;
	struct cfi_workspace work;
} modules;

static struct mu_table *module_table(void)
{
	return &rec.image->table[MU_SEC_MODULES];
}

static const struct mu_module *find_known_module(uint64_t pc)
{
	if (pc >= modules.start && pc < modules.end)
		return arena_table_at(module_table(), modules.number);
	for (uint64_t i = 0; i < module_table()->count; i++) {
		const struct mu_module *module = arena_table_at(module_table(), i);
		if (pc >= module->start && pc < module->end && !module->closed) {
			modules.start = module->start;
			modules.end = module->end;
			modules.number = i;
			return module;
		}
	}
	return NULL;
}

/* A note: name size, descriptor size, type, name, descriptor, each padded to four bytes. */
static bool read_build_id_note(const uint8_t *note, uint64_t length, struct mu_module *module)
{
	while (length >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) header;
		memcpy(&header, note, sizeof(header));
		uint64_t name = (header.n_namesz + 3) & ~3u;
		uint64_t size = sizeof(header) + name + ((header.n_descsz + 3) & ~3u);
		if (size > length)
			return false;
		if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
		    !memcmp(note + sizeof(header), "GNU", 4) &&
		    header.n_descsz <= sizeof(module->build_id)) {
			memcpy(module->build_id, note + sizeof(header) + name, header.n_descsz);
			module->build_id_length = header.n_descsz;
			return true;
		}
		note += size;
		length -= size;
	}
	return false;
}

void modules_build_id(struct mu_module *module, const struct link_map *map)
{
	struct object object;

	if (!object_read(map, &object))
		return;
	for (unsigned int i = 0; i < object.parts; i++) {
		const ElfW(Phdr) *part = &object.part[i];
		uint64_t note = module->bias + part->p_vaddr;
		if (part->p_type == PT_NOTE && note >= module->start &&
		    note + part->p_memsz <= module->end &&
		    read_build_id_note((const uint8_t *)note, part->p_memsz, module))
			return;
	}
}

/* A name below these directories means nothing later: each process finds its descriptors there. */
static bool is_descriptor_path(const char *name)
{
	return !strncmp(name, "/proc/", 6) || !strncmp(name, "/dev/fd/", 8);
}

/* The kernel's name of a directory that the root does not reach has no '/' at its begin. */
static const char *path_from_cwd(const char *name, char path[MODULES_PATH])
{
	long length = sandbox.is_on ? 0 : SYS2(SYS_getcwd, path, MODULES_PATH / 2);
	uint64_t more = strlen(name) + 1;

	if (sys_failed(length) || length < 2 || path[0] != '/' ||
	    more > MODULES_PATH - (uint64_t)length)
		return name;
	path[length - 1] = '/';
	memcpy(path + length, name, more);
	return path;
}

/* ld.so's name may be relative to a directory that the program has left: then the kernel's path is
 * used if there is one. Reports follow links in it. */
struct mu_string modules_path(const char *name, uint64_t address, char path[MODULES_PATH])
{
	if (!name || !name[0])
		return rec.image->process.exe;
	if (is_descriptor_path(name))
		name = maps_path_at(address, true, path, MODULES_PATH) ? path : name;
	else if (name[0] != '/' && strchr(name, '/'))
		name = maps_path_at(address, false, path, MODULES_PATH) ? path :
									 path_from_cwd(name, path);
	return arena_string(name, strlen(name), MODULES_PATH);
}

void modules_init(void)
{
	arena_table_init(MU_SEC_MODULES, sizeof(struct mu_module), FIRST_LOG2);
	modules.start = modules.end = 0;
}

const struct mu_module *modules_note(uint64_t pc)
{
	const struct mu_module *known = find_known_module(pc);
	struct mu_module *module = &modules.module;
	struct cfi_object object;

	if (known || !cfi_object_of(pc, &object, &modules.work))
		return known;
	*module = (struct mu_module){ .opened = rec.image->dl_generation,
				      .start = object.start,
				      .end = object.end,
				      .bias = object.map->l_addr };
	emulated_pause();
	module->path = modules_path(object.map->l_name, object.start, modules.path);
	modules_build_id(module, object.map);
	emulated_resume();
	struct mu_module *entry = arena_table_at(module_table(), module_table()->count);
	if (!entry) {
		rec.image->drops.modules++;
		return NULL;
	}
	*entry = *module;
	__atomic_store_n(&module_table()->count, module_table()->count + 1, __ATOMIC_RELEASE);
	return entry;
}

uint32_t modules_number(const struct mu_module *module)
{
	for (uint64_t i = 0; i < module_table()->count; i++)
		if (arena_table_at(module_table(), i) == module)
			return (uint32_t)i;
	return 0;
}

void modules_closed(void)
{
	uint32_t generation = __atomic_add_fetch(&rec.image->dl_generation, 1, __ATOMIC_RELAXED);
	struct cfi_workspace work;

	for (uint64_t i = 0; i < module_table()->count; i++) {
		struct mu_module *module = arena_table_at(module_table(), i);
		struct cfi_object object;
		if (!module->closed && (!cfi_object_of(module->start, &object, &work) ||
					object.start != module->start))
			module->closed = generation;
	}
	modules.start = modules.end = 0;
}
