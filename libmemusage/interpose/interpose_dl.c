/* interpose_dl.c -- dlopen and dlmopen, to notice objects that bypass us.
 *
 * dlopen looks at its return address to find whose RUNPATH applies. So these must not call
 * the real function but jump to it: a tail call, which tests/lint/symbols.t checks in the
 * object code.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/patch/builtin_malloc.h"
#include "libmemusage/patch/builtin_malloc_detect.h"
#include "libmemusage/tables/modules.h"
#include "libmemusage/unwind/walk.h"

EXPORT void *dlopen(const char *file, int mode)
{
	if (gate.on && rec.flags & MU_CFG_OWN_MALLOC)
		builtin_malloc_watch();
	if (mode & RTLD_DEEPBIND)
		builtin_malloc_detect_opened(file, MU_NOTE_DEEPBIND);
	return real.dlopen(file, mode);
}

EXPORT void *dlmopen(Lmid_t space, const char *file, int mode)
{
	if (space != LM_ID_BASE)
		builtin_malloc_detect_opened(file, MU_NOTE_NAMESPACE);
	return real.dlmopen(space, file, mode);
}

/* Its caller does not matter to dlclose, so this may be an ordinary call. Afterwards an
 * address may be another object's. */
EXPORT int dlclose(void *handle)
{
	int result = real.dlclose(handle);

	if (gate.on && rec.flags & MU_CFG_STACKS) {
		modules_closed();
		walk_forget();
	}
	return result;
}
