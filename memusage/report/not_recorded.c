/* not_recorded.c -- why a program was not recorded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/not_recorded.h"

#include <inttypes.h>
#include <stdio.h>

#include "memusage/common/elfkind.h"

enum { PATH_BYTES = 512 };

static const char *elf_kind_reason(enum elf_kind kind)
{
	switch (kind) {
	case ELF_UNREADABLE:
		return "its file cannot be read, so the reason is unknown";
	case ELF_OTHER_CLASS:
		return "it is a 32-bit program, and the recorder is a 64-bit library";
	case ELF_OTHER_MACHINE:
		return "it was built for another processor than the recorder";
	case ELF_STATIC:
		return "it is statically linked: no library can replace its malloc";
	case ELF_PRIVILEGED:
		return "it is setuid, setgid or has capabilities: the dynamic loader ignores "
		       "LD_PRELOAD";
	default:
		return "it ended, or executed another program, before the recorder could start, or "
		       "it was started without the environment of memusage";
	}
}

/* A script is what its interpreter is; interpreters of interpreters are rare. */
static void describe_kind(const char *file, int depth, char text[NOT_RECORDED_TEXT])
{
	char interpreter[PATH_BYTES];
	enum elf_kind kind = elfkind_of(file, interpreter, sizeof(interpreter));

	if (kind == ELF_SCRIPT && depth < 3)
		describe_kind(interpreter, depth + 1, text);
	else if (kind == ELF_OTHER_LIBC)
		snprintf(text, NOT_RECORDED_TEXT,
			 "%s was not recorded: its C library is not glibc (loader %s)", file,
			 interpreter);
	else
		snprintf(text, NOT_RECORDED_TEXT, "%s was not recorded: %s", file,
			 elf_kind_reason(kind));
}

const char *not_recorded_reason(const struct not_recorded *n, char text[NOT_RECORDED_TEXT])
{
	if (n->refused > 0)
		snprintf(text, NOT_RECORDED_TEXT,
			 "%s was not recorded: no memory was left for its "
			 "recording",
			 n->program);
	else if (n->filter)
		snprintf(text, NOT_RECORDED_TEXT,
			 "nothing was recorded: %" PRIu64
			 " program%s ran, none of them called '%s' (-n, --progname)",
			 n->ignored, n->ignored == 1 ? "" : "s", n->filter);
	else
		describe_kind(n->program, 0, text);
	return text;
}
