#!/bin/sh
# alloc_symbol.t -- functions that --alloc-symbol and --free-symbol name are intercepted, each
# call is counted, no byte twice, and the program computes the same; what cannot be right is
# refused with the reason.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/recorder.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'code is changed on x86-64 only'

# called TEXT: every line "calls NAME COUNT" of the program is in the report
called() {
	while read -r word name count; do
		[ "$word" = calls ] || continue
		like "$(sed 's/,//g' report)" "$name in [^ ]*: patched $count calls" "$1: $name"
	done <native.out
	is "$native_status" 0 "$1: it ran to its end"
	unlike "$(cat report)" 'are not seen|no function' "$1: all are found"
	like "$(cat report)" ' 0 frees of unknown' "$1: blocks are known"
}

pool='--alloc-symbol=pool_alloc:size=arg2 --free-symbol=pool_free:ptr=arg2
	--alloc-symbol=pool_get:size=arg3*arg4,ptr=*arg1
	--alloc-symbol=pool_grow:size=arg3,old=arg2'
# With MU_SLOW=1 every family with all flags.
prefixes=mi_
[ -z "${MU_SLOW:-}" ] || prefixes='mi_ tc_ rp _rjem_'
next_prefix() {
	case $1 in mi_) echo rp ;; rp) echo tc_ ;; tc_) echo _rjem_ ;; *) echo mi_ ;; esac
}
for compiler in gcc clang; do
	if ! command -v $compiler >/dev/null; then
		skip "no $compiler"
		continue
	fi
	is_turn 2 # clang has the other ones
	for flags in '-O0 -no-pie -fno-pie' -O1 '-O2 -fcf-protection' -O3; do
		is_turn 2 || continue
		text="$compiler $flags"
		# shellcheck disable=SC2086
		compiled $compiler $flags -w -pthread -o pool "$MU_SRC/tests/workloads/symbolpool.c" &&
			compiled $compiler $flags -w -pthread -o family \
				"$MU_SRC/tests/workloads/symbolfamily.c" || continue
		# shellcheck disable=SC2086
		profiled "$text, a pool" -v $pool -- ./pool
		called "$text, a pool"
		# shellcheck disable=SC2086
		profiled "$text, a pool in malloc's memory" -v $pool -- ./pool inside
		called "$text, a pool in malloc's memory"
		profiled "$text, a family" -v --alloc-symbol=auto -- ./family
		called "$text, a family"
		profiled "$text, a family in malloc's memory" -v --alloc-symbol=auto -- ./family in
		called "$text, a family in malloc's memory"
		# The other families in turn, and a malloc that no table of exports has.
		for prefix in $prefixes; do
			# shellcheck disable=SC2086
			compiled $compiler $flags -w -pthread -DPREFIX=$prefix -o family \
				"$MU_SRC/tests/workloads/symbolfamily.c" || continue
			profiled "$text, $prefix" -v --alloc-symbol=auto -- ./family
			called "$text, $prefix"
		done
		[ -n "${MU_SLOW:-}" ] || prefixes=$(next_prefix "$prefixes")
		# shellcheck disable=SC2086
		compiled $compiler $flags -w -fno-builtin -pthread -D_GNU_SOURCE \
			-DEXPORT='__attribute__((visibility("hidden"), noinline))' -o hidden \
			"$MU_SRC/tests/workloads/ownfamily.c" || continue
		profiled "$text, a hidden malloc" -v --alloc-symbol=auto -- ./hidden
		unlike "$(cat report)" 'are not seen' "$text, a hidden malloc: found"
		like "$(cat report)" '^memusage: malloc in hidden: patched' "$text, a hidden malloc: said"
		like "$(cat report)" ' 0 frees of unknown' "$text, a hidden malloc: blocks are known"
	done
done

compile "${CC:-cc}" -w -o pool -pthread "$MU_SRC/tests/workloads/symbolpool.c"

# Blocks of functions that the user named are in DHAT's points; those of requests are not.
# shellcheck disable=SC2086
run memusage -o report --dhat --dhat-out-file=dhat.json $pool -- ./pool
total=$(sed -n 's/^Memory usage summary: heap total: \([0-9]*\),.*/\1/p' report)
blocks=$(sed -n 's/.*Total: .* bytes in \([0-9,]*\) blocks/\1/p' report | tr -d ,)
like "$(tr -d , <report)" "Total: +$total bytes in" 'DHAT: all bytes are in points'
num "${blocks:-0}" -ge 20800 'DHAT: ... and all blocks'
like "$(tr -d , <report)" 'At t-end: +8[0-9]* bytes in 40[0-9] blocks' 'DHAT: what was freed is gone'


# What is printed of a recording says what its report said, and so does its page.
# shellcheck disable=SC2086
run memusage -o report --record=pool.mur $pool -- ./pool
grep '^memusage: ' report | sort >want
memusageprint --summary pool.mur | grep '^memusage: ' | grep -v '^memusage: process ' | sort >got
ok 'something is said of the functions' grep -q patched want
same got want 'memusageprint --summary: the functions, their calls and all other notes'
if has_page "$MU_BUILD"; then
	run memusagestat --html=pool.html pool.mur
	said=$(sed -n 's/^memusage: \(pool_alloc in .* calls\)$/\1/p' want)
	like "$(cat pool.html)" "\"${said:-none}\"" 'the page has them, too'
else
	skip 'this build has no HTML page'
fi

# says TEXT PATTERN OPTION...: what the report of ./$program says
program=pool
says() {
	says_text=$1
	says_pattern=$2
	shift 2
	run memusage -o report "$@" -- "./$program"
	is "$status" 0 "$says_text: runs"
	like "$(cat report)" "$says_pattern" "$says_text: said"
}

# What cannot be right.
says 'a name that is not there' 'alloc-symbol=nosuch: the files of the program have no function of that name' \
	--alloc-symbol=nosuch
says 'no family' 'auto: no function of a known allocator was found' --alloc-symbol=auto
says 'data' 'calls of pools in pool are not seen|no function of that name' --alloc-symbol=pools
strip -o stripped pool
program=stripped
says 'a stripped program' 'misspelt, stripped' --alloc-symbol=pool_alloc
mkdir -p .debug
if command -v objcopy >/dev/null; then
	objcopy --only-keep-debug pool .debug/split.debug
	objcopy --strip-all --add-gnu-debuglink=.debug/split.debug pool split
	program='split'
	says 'a separate debug file' 'pool_alloc in split: patched, 20,' \
		--alloc-symbol=pool_alloc:size=arg2
else
	skip 'no objcopy'
fi
program=pool
says 'the wrong option twice' 'pool_alloc in pool: patched' --alloc-symbol=pool_alloc:size=arg2 \
	--alloc-symbol=pool_alloc

for bad in --alloc-symbol= --alloc-symbol=f:size=7 --alloc-symbol=f:size=arg7 \
	--alloc-symbol=f:size=arg10 --alloc-symbol=f:size=arg1x --alloc-symbol=f:ptr=arg1 \
	--alloc-symbol=f:what=1 --alloc-symbol=f: --free-symbol=f:size=arg1 --free-symbol=auto \
	--free-symbol=f:ptr=ret --alloc-symbol=f:size=arg1*,ptr=ret; do
	run memusage "$bad" true
	is "$status" 125 "$bad is an error"
	like "$(cat .err)" "memusage: $(echo "${bad%%=*}" | sed 's/-/./g')=" "$bad: named"
done

cat >odd.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#define API __attribute__((noinline))
static char area[1 << 20];
static size_t used;
static void *take(size_t size) { used += size; return area + used - size; }
API void *seven(size_t a, size_t b, size_t c, size_t d, size_t e, size_t f, size_t g)
{
	return take(g + (a & b & c & d & e & f));
}
static void *chosen_one(size_t size) { return take(size); }
static void *(*choose(void))(size_t) { return chosen_one; }
void *chosen(size_t) __attribute__((ifunc("choose")));
__asm__(".text\n.type nosize, @function\nnosize: lea area(%rip), %rax\nret\n");
void *nosize(size_t);
__asm__(".text\n.globl tiny, next\n.type tiny, @function\n.p2align 4\ntiny: .cfi_startproc\n"
	"ret\n.cfi_endproc\n.size tiny, . - tiny\nnext: .cfi_startproc\npush %rbx\npop %rbx\n"
	"nop\nret\n.cfi_endproc\n");
void tiny(void *);
/* A copy of it is made for the one value, its argument gone. */
static API void *cloned(size_t size, int *how)
{
	for (int i = 0; i < *how; i++)
		used += (size_t)how[i] & 1;
	return take(size);
}
static int ways[2] = { 2, 4 };
__asm__("\"a name\" = spaced");
API void *spaced(size_t size) { return take(size); }
API void *gone(size_t size) { return take(size); }
int main(void)
{
	for (int i = 0; i < 10; i++) {
		seven(1, 2, 3, 4, 5, 6, 7);
		chosen(10);
		nosize(10);
		tiny(cloned(100, ways));
		spaced(10);
	}
	return 0;
}
EOF
if compiled gcc -O2 -w -o odd odd.c; then
	program=odd
	says 'arguments on the stack' 'seven in odd are not seen: .*arguments on the stack' \
		--alloc-symbol=seven:size=arg6
	says 'ifunc' 'chosen in odd are not seen: .*ifunc' --alloc-symbol=chosen
	says 'no size' 'nosize in odd are not seen: the symbol table does not say' \
		--alloc-symbol=nosize
	says 'too short' 'tiny in odd are not seen: it is too short' --free-symbol=tiny
	says 'never called' 'gone in odd: patched, but never called' --alloc-symbol=gone
	says 'a name with a blank' 'a name in odd: patched, 10 calls|spaced in odd: patched' \
		'--alloc-symbol=a name' --alloc-symbol=spaced
	if nm odd | grep -q 'cloned\.'; then
		says 'a clone' 'cloned\.[a-z]*\.0 in odd are not seen: it is a clone' \
			--alloc-symbol=cloned
	else
		skip 'no clone was made'
	fi
fi
cat >static.c <<'EOF'
#include <stddef.h>
static char area[1 << 20];
static size_t used;
static __attribute__((noinline)) void *local(int unused, size_t size)
{
	used += size;
	return area + used - size;
}
int main(void)
{
	for (int i = 0; i < 10; i++)
		*(volatile char *)local(i, 10 + i) = 1;
	return used == 0;
}
EOF
if compiled clang -O2 -w -o static static.c; then
	program=static
	says "clang's static functions" 'local in static are not seen: it is static' \
		--alloc-symbol=local:size=arg2
fi

# C++: by source name, with and without arguments, and mangled.
cat >names.cc <<'EOF'
#include <cstddef>
#include <cstdio>
static char area[1 << 20];
static size_t used;
namespace mem {
struct pool {
	__attribute__((noinline)) void *get(size_t size) { used += size; return area + used - size; }
	__attribute__((noinline)) void *get(size_t a, int b) { return get(a * b + 0 * used++); }
	__attribute__((noinline)) void put(void *p) { *(volatile long *)p = used; }
	template <class T> __attribute__((noinline)) T *make(size_t n) { return (T *)get(n * sizeof(T)); }
};
}
int main()
{
	mem::pool p;
	for (int i = 0; i < 10; i++) {
		p.put(p.get(100));
		p.put(p.get(10, 20));
		p.put(p.make<long>(5));
	}
	std::puts("done");
}
EOF
if compiled g++ -O1 -w -o names names.cc; then
	program=names
	says 'a demangled name' '_ZN3mem4pool3getEm in names: patched, 30 calls' \
		'--alloc-symbol=mem::pool::get(unsigned long):size=arg2'
	says 'a mangled name' '_ZN3mem4pool3getEmi in names: patched, 10 calls' \
		'--alloc-symbol=_ZN3mem4pool3getEmi:size=arg2*arg3'
	says 'an overloaded name' 'several functions have this name' \
		--alloc-symbol=mem::pool::get:size=arg2
	says 'a method' '_ZN3mem4pool3putEPv in names: patched, 30 calls' \
		--free-symbol=mem::pool::put:ptr=arg2
	says 'a template' 'in names: patched, 10 calls' '--alloc-symbol=mem::pool::make<long>:size=arg2'
fi

# The program's own malloc hands on to another allocator: that one's calls are no blocks more.
cat >layers.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char area[8 << 20] __attribute__((aligned(16)));
static size_t used;
#define API __attribute__((noinline, noclone))
API void *je_malloc(size_t size)
{
	used += (size + 31) & -16UL;
	return used > sizeof(area) ? NULL : memset(area + used - ((size + 31) & -16UL), 0, 1);
}
API void je_free(void *block) { if (block) *(char *)block = 1; }
API void *malloc(size_t size) { void *b = je_malloc(size); if (b) *(char *)b = 2; return b; }
API void free(void *block) { if (block) *(char *)block = 3; je_free(block); }
API void *calloc(size_t n, size_t size) { void *b = malloc(n * size); return b ? memset(b, 0, n * size) : b; }
API void *realloc(void *b, size_t size) { void *n = malloc(size); if (n && b) memcpy(n, b, size); free(b); return n; }
/* A pool in the memory of that malloc. */
API void *pool_alloc(size_t size)
{
	static char *chunk;
	static size_t at;
	if (!chunk)
		chunk = malloc(100000);
	at += (size + 15) & -16UL;
	return chunk + at - ((size + 15) & -16UL);
}
int main(void)
{
	for (int i = 0; i < 1000; i++)
		free(malloc(100));
	for (int i = 0; i < 500; i++)
		je_free(je_malloc(200));
	for (int i = 0; i < 300; i++)
		pool_alloc(50);
	puts("truth 96-111 count=1000");
	puts("truth 192-207 count=500");
	puts("truth 48-63 count=0");
	puts("truth large count=1");
	puts("truth heap total>=300000 total<=305500 peak<=106000");
	puts("truth free calls>=1500 calls<=1510");
	puts("calls pool_alloc 300");
	return 0;
}
EOF
for compiler in gcc clang; do
	compiled $compiler -O2 -w -fno-builtin -o layers layers.c || continue
	profiled "$compiler: layers" -v --alloc-symbol=auto --alloc-symbol=pool_alloc -- ./layers
	called "$compiler: layers"
done
done_testing
