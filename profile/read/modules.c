/* modules.c -- the objects whose code a process ran.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/modules.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"

enum {
	MODULES_MAX = 1 << 16,
	OVERLAPS_MAX = 256	/* modules looked at for one address; a real one meets a few */
};

static struct module copy_module_entry(const struct mu_module *from, const struct image *im)
{
	struct module m = { .start = from->start, .end = from->end, .bias = from->bias,
			    .opened = from->opened,
			    .closed = from->closed ? from->closed : UINT32_MAX };

	if (from->build_id_length <= BUILD_ID_MAX) {
		m.id.length = from->build_id_length;
		memcpy(m.id.byte, from->build_id, m.id.length);
	}
	m.path = xcheck(image_text(im, &from->path));
	m.is_recorder = strcmp(basename(m.path), "libmemusage.so") == 0;
	return m;
}

static int compare_module_starts(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->opened > y->opened) - (x->opened < y->opened);
}

/* The program is far below the libraries, relocatable or not. */
#define LIBRARIES_FROM UINT64_C(0x700000000000)

static bool is_dynamic_linker(const struct module *m)
{
	return strncmp(basename(m->path), "ld-", 3) == 0;
}

/* Modules are sorted by start. Generations need not be told apart: what takes the place of
 * another is ranked like it. */
static void rank_modules(struct modules *m)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < m->count; i++)
		if (m->module[i].start < LIBRARIES_FROM)
			m->module[i].rank = next++;
	for (int is_other = 0; is_other < 2; is_other++)
		for (uint32_t i = m->count; i > 0; i--) {
			struct module *module = &m->module[i - 1];

			if (module->start >= LIBRARIES_FROM &&
			    is_dynamic_linker(module) != is_other)
				module->rank = next++;
		}
}

uint64_t modules_order(const struct modules *m, uint32_t module, uint64_t address)
{
	if (module >= m->count)
		return UINT64_C(1) << 63 | address >> 1;
	/* MODULES_MAX is 16 bits; the rest is room for any offset. */
	return (uint64_t)m->module[module].rank << 46 |
	       ((address - m->module[module].start) & ((UINT64_C(1) << 46) - 1));
}

static void index_modules(struct modules *m)
{
	qsort(m->module, m->count, sizeof(*m->module), compare_module_starts);
	for (uint32_t i = 0; i < m->count; i++) {
		uint64_t before = i ? m->reach[i - 1] : 0;

		m->reach[i] = m->module[i].end > before ? m->module[i].end : before;
	}
	rank_modules(m);
}

void modules_load(struct modules *m, const struct image *im)
{
	uint64_t count = image_count(im, MU_SEC_MODULES);

	*m = (struct modules){ .count = 0 };
	count = count < MODULES_MAX ? count : MODULES_MAX;
	m->module = xcalloc(count + 1, sizeof(*m->module));
	m->reach = xcalloc(count + 1, sizeof(*m->reach));
	for (uint64_t i = 0; i < count; i++) {
		struct mu_module from;

		if (!image_copy_entry(im, MU_SEC_MODULES, i, &from, sizeof(from)) ||
		    from.start >= from.end)
			continue;
		m->module[m->count++] = copy_module_entry(&from, im);
	}
	index_modules(m);
}

void modules_add(struct modules *m, const struct module *more, uint32_t count)
{
	const size_t all = (size_t)m->count + count + 1;

	m->module = xreallocarray(m->module, all, sizeof(*m->module));
	m->reach = xreallocarray(m->reach, all, sizeof(*m->reach));
	for (uint32_t i = 0; i < count; i++) {
		m->module[m->count] = more[i];
		m->module[m->count++].path = xstrdup(more[i].path);
	}
	index_modules(m);
}

uint32_t modules_find(const struct modules *m, uint64_t address, uint32_t generation)
{
	size_t next = address == UINT64_MAX ? m->count :
		      array_first_from(m->module, m->count, sizeof(*m->module),
				       offsetof(struct module, start), address + 1);
	uint32_t looked = 0;

	for (; next > 0 && m->reach[next - 1] > address && looked++ < OVERLAPS_MAX; next--) {
		const struct module *module = &m->module[next - 1];

		if (address < module->end && generation >= module->opened &&
		    generation < module->closed)
			return (uint32_t)next - 1;
	}
	return MODULES_NONE;
}

/* Links in /proc lead each process to what is its own. */
static bool is_same_for_all(const char *path)
{
	return path[0] == '/' && strncmp(path, "/proc/", 6) != 0 &&
	       strncmp(path, "/dev/fd/", 8) != 0;
}

void modules_follow_links(struct modules *m)
{
	for (uint32_t i = 0; i < m->count; i++) {
		char *path = is_same_for_all(m->module[i].path) ? realpath(m->module[i].path, NULL)
							   : NULL;

		if (!path)
			continue;
		free(m->module[i].path);
		m->module[i].path = path;
	}
}

void modules_free(struct modules *m)
{
	for (uint32_t i = 0; m->module && i < m->count; i++)
		free(m->module[i].path);
	free(m->module);
	free(m->reach);
	*m = (struct modules){ .count = 0 };
}
