/* debuginfo_nodw.c -- what is known of lines and inlined calls without libdw: nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/debuginfo.h"

int debuginfo_lookup(int fd, const uint64_t *address, size_t count, debuginfo_fn found,
		     void *data, struct mu_error *err)
{
	return 0;
}

const char *debuginfo_version(void)
{
	return "none";
}

struct debuginfo_mini *debuginfo_mini_open(int fd)
{
	return NULL;
}

void debuginfo_mini_symbols(struct debuginfo_mini *mini, elf_symbol_fn visit, void *data)
{
}

void debuginfo_mini_close(struct debuginfo_mini *mini)
{
}
