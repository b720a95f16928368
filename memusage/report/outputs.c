/* outputs.c -- Check before the run that its pictures and profiles can be written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/outputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "formats/page/page_template.h"
#include "formats/xtree.h"
#include "memusage/common/files.h"
#include "memusage/common/library.h"
#include "memusage/report/picture.h"

static void check_drawer(const char *what)
{
	char *tool = library_sibling("memusagestat");

	if (!tool || access(tool, X_OK) < 0)
		die("cannot make %s: memusagestat is not installed; building it needs libgd, "
		    "libpng and zlib",
		    what);
	free(tool);
}

static void check_page(const char *pattern)
{
	if (page_template_size == 0)
		die("cannot make %s: memusage was built without the HTML page; rebuild it (make "
		    "HTML=yes)",
		    pattern);
	check_drawer(pattern);
	if (strcmp(pattern, "-") != 0)
		files_check(pattern, 0);
}

static void check_picture(const char *file)
{
	char *name = picture_name(file);

	check_drawer(name);
	files_check_name(name, OUTPUT_PUBLIC);
	free(name);
}

static void check_profiles(const struct settings *s)
{
	const char *xtree = s->massif.xtree_file;

	if (s->massif.is_wanted)
		files_check(s->massif.file, 0);
	if (s->massif.xtree != XTREE_NONE)
		files_check(xtree ? xtree : "xtmemory.kcg.%p", 0);
	if (s->dhat.is_wanted)
		files_check(s->dhat.file, 0);
	if (triggers_wanted(&s->triggers))
		files_check(s->triggers.file, 0);
	if (s->spacetime)
		files_check("massif.%p.hp", 0);
}

void outputs_check(const struct settings *settings)
{
	if (settings->html)
		check_page(settings->html);
	if (settings->png)
		check_picture(settings->png);
	if (settings->spacetime)
		check_drawer("massif.PID.ps");
	check_profiles(settings);
}
