/* inlined_libdw.c -- where a file has inlined calls, by elfutils' libdw.
 *
 * Source DWARF 5, section 3.3.8 (inlined subroutines).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/inlined.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stddef.h>

enum { DEPTH_MAX = 300 };	/* nested entries; far beyond what compilers make */

struct walk {
	inlined_fn visit;
	void *data;
};

static void walk_child_dies(const struct walk *w, Dwarf_Die *parent, unsigned int depth,
			    bool is_kept);

/* Address 0 is where linkers leave the ranges of functions that they dropped. */
static bool report_inlined_call(const struct walk *w, Dwarf_Die *die, bool is_kept)
{
	Dwarf_Attribute at;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &at));
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	bool keeps = false;

	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0)
		if (start > 0 && start < end)
			keeps |= w->visit(name ? name : "", start, end, is_kept, w->data);
	return keeps;
}

static void walk_child_dies(const struct walk *w, Dwarf_Die *parent, unsigned int depth,
			    bool is_kept)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			walk_child_dies(w, &die, depth + 1, report_inlined_call(w, &die, is_kept));
			break;
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			walk_child_dies(w, &die, depth + 1, is_kept);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

int inlined_walk(int fd, inlined_fn visit, void *data)
{
	const struct walk w = { visit, data };
	Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	if (!dwarf)
		return -1;
	while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
		if (type == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit)
			die = split;
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			walk_child_dies(&w, &die, 0, false);
	}
	dwarf_end(dwarf);
	return 0;
}
