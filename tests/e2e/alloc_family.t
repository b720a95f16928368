#!/bin/sh
# alloc_family.t -- --alloc-symbol=auto sees the calls of real allocators under their prefixed
# names, linked statically or shared, each once, in children and in objects that are opened, too.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/recorder.sh"

[ "$(uname -m)" = x86_64 ] || skip_all 'code is changed on x86-64 only'

cat >library.c <<'EOF'
#define LIBRARY
#include FAMILY
__attribute__((constructor)) static void early(void) { work(NULL); }
void library_work(void) { work(NULL); }
void library_truths(int times) { truths(times); }
EOF
family=$MU_SRC/tests/workloads/prefixed.c
cat >opens.c <<'EOF'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		void *l = dlopen(argv[1], RTLD_NOW);
		if (!l)
			return puts(dlerror()), 1;
		((void (*)(void))dlsym(l, "library_work"))();
		if (i == 2)
			((void (*)(int))dlsym(l, "library_truths"))(6);
		dlclose(l);
	}
	return 0;
}
EOF
compile "${CC:-cc}" -w -o opens opens.c -ldl

# jemalloc in a library needs more room for its thread-local variables than a library gets.
GLIBC_TUNABLES=${GLIBC_TUNABLES:+$GLIBC_TUNABLES:}glibc.rtld.optional_static_tls=32768
export GLIBC_TUNABLES

# seen TEXT PREFIX [FREES]: what the report says of the functions; so many frees are of unknown blocks
seen() {
	is "$native_status" 0 "$1: it ran to its end"
	like "$(cat report)" "$2malloc in [^ ]*: patched, [0-9,]+ calls" "$1: functions are listed"
	unlike "$(cat report)" 'are not seen|no function' "$1: nothing is missing"
	like "$(cat report)" " ${3:-0} frees of unknown" "$1: blocks are known"
}

# A real jemalloc whose names got a prefix, as programs configure it.
api='malloc calloc realloc free posix_memalign aligned_alloc memalign valloc malloc_usable_size
	mallocx rallocx dallocx sdallocx xallocx sallocx nallocx mallctl pvalloc
	_Znwm _Znam _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t
	_ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t
	_ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvmSt11align_val_t'
archive=$(find /usr/lib /usr/local/lib -name libjemalloc_pic.a 2>/dev/null | head -n 1)
for prefix in je_ _rjem_; do
	renames=
	for name in $api; do
		renames="$renames --redefine-sym $name=$prefix$name"
	done
	if [ -z "$archive" ] || ! command -v objcopy >/dev/null || ! has_library libstdc++.so; then
		skip 'no static jemalloc, no objcopy, or no library for C++'
		continue
	fi
	# shellcheck disable=SC2086
	objcopy $renames "$archive" lib$prefix.a
	for compiler in gcc clang; do
		compiled $compiler -O2 -w -DPREFIX=$prefix -o family "$family" lib$prefix.a -pthread \
			-ldl -lm -lstdc++ || continue
		profiled "jemalloc $prefix, $compiler" -v --alloc-symbol=auto -- ./family
		seen "jemalloc $prefix, $compiler" $prefix
	done
	compiled gcc -shared -fPIC -O1 -w -DPREFIX=$prefix "-DFAMILY=\"$family\"" \
		-o library.so library.c lib$prefix.a \
		-pthread -ldl -lm -lstdc++ || continue
	profiled "jemalloc $prefix in a library" -v --alloc-symbol=auto -- ./opens "$PWD/library.so"
	seen "jemalloc $prefix in a library" $prefix
done

for pair in mi_:mimalloc tc_:tcmalloc_minimal; do
	prefix=${pair%%:*}
	lib=${pair#*:}
	has_library "lib$lib.so" || { skip "no $lib"; continue; }
	compiled "${CC:-cc}" -O2 -w "-DPREFIX=$prefix" -o family "$family" "-l$lib" -pthread ||
		continue
	profiled "$lib" -v --alloc-symbol=auto -- ./family
	# At the end of a thread mimalloc 3 frees two structures of its own by mi_free().
	own_frees=0
	! ldd family | grep -q 'libmimalloc\.so\.3' || own_frees=2
	seen "$lib" "$prefix" $own_frees
done

# Memory that an allocator takes back as a whole: its next blocks are new ones, none inside others.
cat >heap.c <<'EOF'
#include <mimalloc.h>
#include <stdio.h>
int main(void)
{
	for (int k = 0; k < 20; k++) {
		mi_heap_t *heap = mi_heap_new();
		for (int i = 0; i < 1000; i++)
			*(volatile char *)mi_heap_malloc(heap, 100) = 1;
		mi_heap_destroy(heap);
	}
	for (int i = 0; i < 10; i++)
		mi_free(mi_strdup("fifteen letters"));
	puts("truth 96-111 count=20000");
	puts("truth 16-31 count>=10");
	/* mimalloc 3 has 1,813 bytes for each heap itself. */
	puts("truth heap total>=2000000 total<=2140000 peak>=100000 peak<=112000");
	return 0;
}
EOF
if ! has_library libmimalloc.so; then
	skip 'no mimalloc'
elif compiled "${CC:-cc}" -O1 -w -o heap heap.c -lmimalloc; then
	profiled 'a heap that is destroyed' -v --alloc-symbol=auto -- ./heap
	unlike "$(cat report)" 'lie inside others' 'a heap that is destroyed: nothing is inside'
fi

# The same for a child that forks, and for a program that it starts.
# A page that goes over to malloc: what had been believed of it for too long is said.
memusage -o report --alloc-symbol=auto -- "$WORKLOADS/symbolpage" >out
is "$(grep -c '^page' out)" 2 'a page changes hands: the program ran'
if [ "$(uniq out | wc -l)" = 1 ]; then
	like "$(cat report)" '^memusage: up to 255 blocks .* count twice$' '... what counts twice is said'
	like "$(cat report)" '^memusage: [0-9]+ blocks lie inside others' '... and later ones do not'
else
	skip 'malloc got another page than mmap had' 2
fi

compile "${CC:-cc}" -O2 -w -DPREFIX=je_ -o family "$MU_SRC/tests/workloads/symbolfamily.c" -pthread
cat >parent.c <<'EOF'
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (!fork()) {
		if (!fork())
			return execv(argv[1], argv + 1), 1;
		wait(NULL);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
EOF
compile "${CC:-cc}" -w -o parent parent.c
run memusage -o report --alloc-symbol=auto -- ./parent ./family
like "$(cat report)" 'family: heap total: [0-9]{7,}' 'a started program is recorded'
run memusage -o report --alloc-symbol=auto --trace-children=no -- ./parent ./family
unlike "$(cat report)" 'family' 'with --trace-children=no it is not'
cat >forks.c <<'EOF'
#define main family_main
#include FAMILY
#undef main
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (!fork())
		_exit(family_main(argc, argv));
	wait(NULL);
	return 0;
}
EOF
compile "${CC:-cc}" -O2 -w "-DFAMILY=\"$MU_SRC/tests/workloads/symbolfamily.c\"" -o forks forks.c -pthread
run memusage -o report --alloc-symbol=auto -- ./forks
like "$(cat report)" 'forks \(since its fork\): heap total: [0-9]{7,}' 'a forked child is recorded'

# Stacks lead to who called.
cat >places.c <<'EOF'
#include <stddef.h>
static char area[8 << 20];
static size_t used;
__attribute__((noinline)) void *je_malloc(size_t size)
{
	used += size;
	return used > sizeof(area) ? NULL : area + used - size;
}
__attribute__((noinline)) void je_free(void *block) { *(char *)block = 1; }
__attribute__((noinline)) char *maker(void)
{
	char *block = je_malloc(4 << 20);
	*block = 1;
	return block;
}
int main(void)
{
	je_free(maker());
	return 0;
}
EOF
compile "${CC:-cc}" -g -O2 -w -o places places.c
for report in --top --tree --leaks; do
	run memusage $report --alloc-symbol=auto -o report -- ./places
	[ $report = --leaks ] || like "$(cat report)" 'maker' "$report: places are those of the callers"
done
run memusage --massif --massif-out-file=massif.out --alloc-symbol=auto -o report -- ./places
like "$(cat massif.out)" 'n[0-9]+: 4194304 0x[0-9A-F]*: maker' 'a profile of Massif has them'
run memusage --dhat --dhat-out-file=dhat.out --alloc-symbol=auto -o report -- ./places
like "$(cat dhat.out)" '"tb":4194304' 'a profile of DHAT has them'
done_testing
