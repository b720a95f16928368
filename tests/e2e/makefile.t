#!/bin/sh
# makefile.t -- the makefile builds what there is: absent folders are left out, nothing is built
# twice, other flags build anew, and a tarball builds like the tree it came from.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need make
# Above all B: this test says `make clean`.
unset MAKEFLAGS B T J V SAN LIBGD LIBDW WERROR CFLAGS CPPFLAGS LDFLAGS

mkdir -p tree/tests/unit tree/tests/workloads
cd tree || exit 1
cp "$MU_SRC/GNUmakefile" "$MU_SRC/VERSION" .
cp -r "$MU_SRC/tests/lib" "$MU_SRC/tests/run" tests/
cp "$MU_SRC/tests/unit/tap.c" tests/unit/
cat >tests/workloads/noted.c <<'EOF'
/* CFLAGS: -DANSWER=42 -O0 */
/* LDLIBS: -lm */
#include <math.h>
#include <stdlib.h>
int main(int argc, char **argv) { return ANSWER + (int)cos(argc - 1) - 1 + !argv; }
EOF
echo 'int answer(void) { return 42; }' >tests/workloads/libanswer.c

run make -j2
is "$status" 0 'a tree without programs builds' || diag "$err"
run make unit
is "$status" 0 'and its unit tests run' || diag "$out" "$err"
is "$(printf '%s\n' "$out" | tail -n 1)" '15 passed, 0 failed, 0 skipped' \
	'the last line counts the checks'
run make unit
unlike "$out" '^  (CC|LD|AR) ' 'nothing is built twice'
run make unit CFLAGS=-O0
like "$out" '^  CC .*tests/unit/tap.c' 'other flags build anew'
run make unit CFLAGS=-O0
unlike "$out" '^  (CC|LD|AR) ' '... once'
run make CFLAGS=-O0 "CPPFLAGS=-DQUOTED='\"it is\"'" unit
is "$status" 0 'quotes in flags' || diag "$err"
run make help
is "$status" 0 'make help'
for target in all check check-attach check-cpus check-real check-slow demo install uninstall clean bench fuzz \
	lint analyze dist; do
	like "$out" "^  make $target " "make help knows $target"
done
unlike "$out" '\$\(' '... in words, without variables of the makefile'
run make -n check
like "$out" '^echo "check: .*all tests: 20 minutes on' 'make check says first how long it takes'
is "$(sed -n 's/.*make check .*: \([0-9]* minutes on two cores\)$/\1/p' "$MU_SRC/README.md")" \
	'20 minutes on two cores' '... as the README does'

run make test-programs
is "$status" 0 'workloads build' || diag "$err"
run build/tests/workloads/noted
is "$status" 42 'a workload has the flags of its first lines'
ok 'a workload named lib* is a shared object' test -s build/tests/workloads/libanswer.so

# ---- a page that could not be built is built by the demo, as soon as it can be ------------------
mkdir -p scripts formats/page memusage
echo 'int main(void) { return page_bytes(); }' >memusage/main.c
sed -i '1i int page_bytes(void);' memusage/main.c
echo 'int page_bytes(void); int page_bytes(void) { return 0; }' >formats/page/page_template.c
printf '#!/bin/sh\n' | tee scripts/setup.sh scripts/demo.sh >/dev/null
printf '#!/bin/sh\nshift 2\n"$@"\n' >scripts/progress.sh
# shellcheck disable=SC2016  # for the script
printf '#!/bin/sh\ncat node >"$2" 2>/dev/null || :\n' >scripts/page.sh
chmod +x scripts/*.sh
run make -j2 demo
is "$status $(stat -c %s build/page/template.html)" '0 0' 'without node the page is empty' || diag "$err"
echo page >node
run make -j2 demo
is "$status $(cat build/page/template.html)" '0 page' '... until the next demo with node' || diag "$err"

# ---- the tests of a level have that level's functions ------------------------------------------
mkdir tests/e2e
# shellcheck disable=SC2016  # for the script
printf '#!/bin/sh\necho 1..1\necho "ok 1 # SKIP ${0##*/}: ${GLIBC_TUNABLES:-the CPU itself}"\n' |
	tee tests/e2e/cpus.t >tests/e2e/level.t
chmod +x tests/e2e/*.t
run env GLIBC_TUNABLES=glibc.malloc.check=0 make test-cpus
. tests/lib/cpus.sh
for level in $(cpu_levels); do
	want=$(cpu_tunables "$level")
	echo "skipped: level.t: ${want:-the CPU itself}"
done >want
echo 'skipped: cpus.t: the CPU itself' >>want
printf '%s\n' "$out" | sed -n 's/^ *\(skipped: \)/\1/p' >got
same got want 'make check-cpus runs the tests at each level' || diag "$out" "$err"
nok '... and at no other' tests/run -c sse9 tests/e2e/level.t

run make clean
nok 'clean leaves nothing' test -e build

case $MU_TMP in
*[[:space:]]*)
	skip 'make knows no paths with blanks, and the temporary directory has some' 4
	done_testing
	;;
esac
if command -v git >/dev/null && git -C "$MU_SRC" rev-parse -q --verify HEAD >/dev/null 2>&1; then
	run make -C "$MU_SRC" --no-print-directory B="$MU_TMP/d" dist
	is "$status" 0 'make dist' || diag "$err"
	out=$(printf '%s\n' "$out" | tail -n 1)
	version=$(basename "$out" .tar.gz)
	version=${version#memusage-}
	mkdir "$MU_TMP/unpacked" && tar -xzf "$out" -C "$MU_TMP/unpacked"
	cd "$MU_TMP/unpacked/memusage-$version" || exit 1
	ok 'the tarball has the sources' test -e GNUmakefile -a -e LICENSE
	if has_page "$MU_TMP/d"; then
		same page-template.html "$MU_TMP/d/page/template.html" 'it has the built HTML page'
		mkdir "$MU_TMP/broken"
		printf '#!/bin/sh\n: >"%s"\nexit 1\n' "$MU_TMP/called" >"$MU_TMP/broken/node"
		chmod +x "$MU_TMP/broken/node" && cp "$MU_TMP/broken/node" "$MU_TMP/broken/npm"
		run env PATH="$MU_TMP/broken:$PATH" make HTML=yes B="$MU_TMP/e" "$MU_TMP/e/page/template.html"
		is "$status" 0 'which builds with a node that does not work' || diag "$err"
		same "$MU_TMP/e/page/template.html" page-template.html 'the page is that of the tarball'
		nok 'nobody asks for node or npm' test -e "$MU_TMP/called"
	else
		skip 'this build has no HTML page' 4
	fi
	run make B="$MU_TMP/e" "$MU_TMP/e/gen/cli/version.h"
	is "$(cat "$MU_TMP/e/gen/cli/version.h")" "#define MEMUSAGE_VERSION \"$version\"" \
		'and knows its version'
else
	skip 'no git, or not a clone' 3
fi
done_testing
