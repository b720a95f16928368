/* elfkind.h -- Tell whether a library can be preloaded into a program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

enum elf_kind {
	ELF_LOADABLE,	   /* nothing prevents it */
	ELF_UNREADABLE,	   /* executable but not readable */
	ELF_SCRIPT,	   /* begins with #! */
	ELF_NO_PROGRAM,	   /* neither ELF nor #!: execvp passes it to the shell */
	ELF_OTHER_CLASS,   /* 32 bits */
	ELF_OTHER_MACHINE, /* for another processor */
	ELF_STATIC,	   /* without a dynamic loader */
	ELF_OTHER_LIBC,	   /* with a loader that is not glibc's */
	ELF_PRIVILEGED	   /* setuid, setgid or with capabilities: ld.so ignores LD_PRELOAD */
};

/* elfkind_of -- Classifies FILE, which may be any file; reads at most 64 KiB of it.
 *
 * interpreter  receives the path after #! or that of the dynamic loader, or "".
 * size         of interpreter in bytes.
 * Source elf(5), execve(2), ld.so(8) "Secure-execution mode".
 */
enum elf_kind elfkind_of(const char *file, char *interpreter, unsigned int size);
