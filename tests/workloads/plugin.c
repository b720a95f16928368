/* plugin.c -- a C program that opens C++ plugins, one after the other: `plugin FILE...`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/lib/workload.h"

int main(int argc, char **argv)
{
	free(malloc(100));
	for (int i = 1; i < argc; i++) {
		void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		check(plugin != NULL, "dlopen");
		int (*work)(void) = (int (*)(void))dlsym(plugin, "plugin_work");
		Dl_info info;
		say("plugin says %d, %d", work(), dladdr((void *)work, &info) != 0);
		dlclose(plugin);
		/* Something else takes its place: nothing may still point there. */
		mmap(info.dli_fbase, 64 << 10, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
	return 0;
}
