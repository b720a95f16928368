/* debug_file.c -- The separate debug file of a module, in the usual places.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/debug_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "profile/base/crc32.h"

#define DEBUG_ROOT "/usr/lib/debug"

struct debugfile_search {
	struct elf_file *debug;
	const struct elf_file *module;
	struct build_id id;
	uint32_t crc;
	bool has_crc;
};

static bool is_matching_file(const struct debugfile_search *s)
{
	struct build_id id;

	if (elf_file_same(s->debug, s->module))
		return false;
	if (s->id.length > 0)
		return elf_file_build_id(s->debug, &id) && id.length == s->id.length &&
		       memcmp(id.byte, s->id.byte, id.length) == 0;
	return s->has_crc && crc32_add(0, s->debug->data, s->debug->size) == s->crc;
}

static bool try_candidate_path(const struct debugfile_search *s, const char *root, const char *path)
{
	if (elf_file_open(s->debug, root, path, NULL) < 0)
		return false;
	if (is_matching_file(s))
		return true;
	elf_file_close(s->debug);
	return false;
}

static bool try_build_id_path(const struct debugfile_search *s, const char *root)
{
	char path[sizeof(DEBUG_ROOT) + (size_t)2 * BUILD_ID_MAX + 32];
	int length = snprintf(path, sizeof(path), DEBUG_ROOT "/.build-id/%02x/", s->id.byte[0]);

	if (s->id.length < 2)
		return false;
	for (uint32_t i = 1; i < s->id.length; i++)
		length += snprintf(path + length, sizeof(path) - (size_t)length, "%02x",
				   s->id.byte[i]);
	snprintf(path + length, sizeof(path) - (size_t)length, ".debug");
	return try_candidate_path(s, root, path) ||
	       (root && *root && try_candidate_path(s, NULL, path));
}

/* In a directory below another: TOP/DIRECTORY/BELOW/NAME, where PATH is DIRECTORY/module. */
static bool try_link_in_folder(const struct debugfile_search *s, const char *root,
			       const char *const part[4])
{
	char path[PATH_MAX];
	int directory = (int)(strrchr(part[1], '/') + 1 - part[1]);
	int length = snprintf(path, sizeof(path), "%s%.*s%s%s", part[0], directory, part[1],
			      part[2], part[3]);

	return length < (int)sizeof(path) && try_candidate_path(s, root, path);
}

static bool try_debug_link(const struct debugfile_search *s, const char *root, const char *path,
			   const char *name)
{
	return strchr(path, '/') &&
	       (try_link_in_folder(s, root, (const char *const[]){ "", path, "", name }) ||
		try_link_in_folder(s, root, (const char *const[]){ "", path, ".debug/", name }) ||
		try_link_in_folder(s, root, (const char *const[]){ DEBUG_ROOT, path, "", name }));
}

static struct debugfile_search search_of(struct elf_file *debug, const struct elf_file *module)
{
	struct debugfile_search s = { .debug = debug, .module = module };

	s.has_crc = elf_file_debuglink(module, &s.crc) != NULL;
	elf_file_build_id(module, &s.id);
	return s;
}

bool debug_file_open(struct elf_file *debug, const struct elf_file *module, const char *root,
		     const char *path)
{
	const struct debugfile_search s = search_of(debug, module);
	uint32_t ignored;
	const char *name = elf_file_debuglink(module, &ignored);

	return try_build_id_path(&s, root) || (name && try_debug_link(&s, root, path, name));
}

bool debug_file_is_of(const struct elf_file *debug, const struct elf_file *module)
{
	struct elf_file other = *debug;
	const struct debugfile_search s = search_of(&other, module);

	return is_matching_file(&s);
}
