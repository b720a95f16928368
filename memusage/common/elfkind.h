/* elfkind.h -- what kind of program a file is, as far as preloading goes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_ELFKIND_H
#define MEMUSAGE_COMMON_ELFKIND_H

enum elf_kind {
	ELF_LOADABLE,	   /* nothing speaks against it */
	ELF_UNREADABLE,	   /* may be executed but not read */
	ELF_SCRIPT,	   /* begins with #! */
	ELF_NO_PROGRAM,	   /* neither ELF nor #!: execvp gives it to the shell */
	ELF_OTHER_CLASS,   /* 32 bits */
	ELF_OTHER_MACHINE, /* for another processor */
	ELF_STATIC,	   /* without a dynamic loader */
	ELF_OTHER_LIBC,	   /* with a loader that is not glibc's */
	ELF_PRIVILEGED	   /* setuid, setgid or with capabilities: the loader ignores LD_PRELOAD */
};

/* elfkind_of -- look at FILE.
 *
 * interpreter  gets the path after #!, or that of the dynamic loader; "" if there is none.
 * size         of it, with the final zero.
 * The file may be anything: at most 64 KiB of it are read.
 * Source elf(5), execve(2), ld.so(8) "Secure-execution mode".
 */
enum elf_kind elfkind_of(const char *file, char *interpreter, unsigned int size);

#endif
