/* core_options.h -- The options of Valgrind's core.
 *
 * The rules of massif.c and rows of the option table are made of this list.
 *
 * Source  valgrind --help-debug of 3.19, manual of the core of 3.23; docs/compat.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define CORE_CRASHES "is not supported: it can crash a program that has threads"
#define CORE_NO_PATTERNS "is not supported: --progname chooses which program is recorded"
#define CORE_NO_XML "is not supported: use memusageprint --to=json"
#define CORE_NO_FILL "is not supported: use the C library's MALLOC_PERTURB_"
#define CORE_INSIDE "is not supported: it shows internals of Valgrind"

/* O(NAME, ONLY, WHY): every value but ONLY is refused for the reason WHY; "" refuses all values. */
#define CORE_OPTIONS_JUDGED(O) \
	O("run-libc-freeres", "no", CORE_CRASHES) \
	O("run-cxx-freeres", "no", CORE_CRASHES) \
	O("realloc-zero-bytes-frees", "yes", "is decided by the C library, which frees") \
	O("vgdb", "no", "is not supported: it lets a debugger attach to Valgrind") \
	O("log-fd", "2", "is not supported: use --output or --log-file") \
	O("log-socket", "", "is not supported: use --log-file") \
	O("xml", "no", CORE_NO_XML) \
	O("xml-file", "", CORE_NO_XML) \
	O("xml-fd", "", CORE_NO_XML) \
	O("xml-socket", "", CORE_NO_XML) \
	O("trace-children-skip", "", CORE_NO_PATTERNS) \
	O("trace-children-skip-by-arg", "", CORE_NO_PATTERNS) \
	O("time-stamp", "no", "is not supported: the report is written at the end") \
	O("track-fds", "no", "is not supported: memusage does not track file descriptors") \
	O("modify-fds", "no", "is not supported: memusage does not change file descriptors") \
	O("merge-recursive-frames", "0", "is not supported: the page of --html folds recursion") \
	O("extra-debuginfo-path", "", "is not supported: /usr/lib/debug is searched") \
	O("debuginfo-server", "", "is not supported: --debuginfod asks $DEBUGINFOD_URLS") \
	O("allow-mismatched-debuginfo", "no", "is not supported: its names would be wrong") \
	O("malloc-fill", "", CORE_NO_FILL) \
	O("free-fill", "", CORE_NO_FILL) \
	O("require-text-symbol", "", "is not supported: --alloc-symbol reports what it finds") \
	O("wait-for-gdb", "no", "is not supported: use gdb --args memusage PROGRAM") \
	O("progress-interval", "0", "is not supported: use memusage --pid=PID status") \
	O("sym-offsets", "no", "is not supported: addresses are shown") \
	O("trace-malloc", "no", "is not supported: --data=FILE writes every call") \
	O("trace-syscalls", "no", "is not supported: use strace") \
	O("trace-signals", "no", "is not supported: use strace") \
	O("debug-dump", "", "is not supported: use readelf") \
	O("trace-flags", "", CORE_INSIDE) \
	O("trace-notbelow", "", CORE_INSIDE) \
	O("trace-notabove", "", CORE_INSIDE) \
	O("trace-symtab", "no", CORE_INSIDE) \
	O("trace-symtab-patt", "", CORE_INSIDE) \
	O("trace-cfi", "no", CORE_INSIDE) \
	O("trace-redir", "no", CORE_INSIDE) \
	O("trace-sched", "no", CORE_INSIDE) \
	O("profile-flags", "", CORE_INSIDE) \
	O("profile-interval", "", CORE_INSIDE) \
	O("profile-heap", "no", CORE_INSIDE) \
	O("dump-error", "0", CORE_INSIDE)

/* O(NAME): an option that memusageprint has, too. */
#define CORE_OPTIONS_PASSED(O) \
	O("fullpath-after") O("read-inline-info") O("demangle")

/* O(NAME): an option that memusage implements. */
#define CORE_OPTIONS_MEANT(O) \
	O("log-file") O("stats")

/* O(NAME): an option about errors or about Valgrind's own machine, which has no effect here. */
#define CORE_OPTIONS_IDLE(O) \
	O("soname-synonyms") O("suppressions") O("error-limit") O("child-silent-after-fork") \
	O("max-guard-pages") O("max-stackframe") O("main-stacksize") O("keep-debuginfo") \
	O("smc-check") O("sim-hints") \
	O("fair-sched") O("show-emwarns") O("max-threads") O("aspace-minaddr") \
	O("avg-transtab-entry-size") O("num-transtab-sectors") O("valgrind-stacksize") \
	O("vgdb-poll") O("vgdb-error") O("vgdb-stop-at") O("vgdb-prefix") \
	O("vgdb-shadow-registers") O("sigill-diagnostics") O("kernel-variant") \
	O("resync-filter") O("read-var-info") O("redzone-size") O("core-redzone-size") \
	O("default-suppressions") O("gen-suppressions") O("error-markers") \
	O("exit-on-first-error") O("show-error-list") O("input-fd") O("unw-stack-scan-thresh") \
	O("unw-stack-scan-frames") O("dsymutil") O("xml-user-comment") O("enable-debuginfod") \
	O("scheduling-quantum") O("command-line-only") O("sanity-level") \
	O("vex-iropt-verbosity") O("vex-iropt-level") O("vex-iropt-unroll-thresh") \
	O("vex-guest-max-insns") O("vex-guest-chase") O("vex-regalloc-version") \
	O("vex-iropt-register-updates") O("vex-iropt-fold-expr") O("px-default") O("px-file-backed")
