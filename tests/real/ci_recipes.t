#!/bin/sh
# ci_recipes.t -- the recipes of docs/ci.md for ctest, meson, cargo and pytest pass a program within its
# limits and fail one beyond, with the sentence that says why.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

# A recipe is the indented text below the line "`FILE`:" of a section of docs/ci.md.
# recipe SECTION FILE: writes it to FILE
recipe() {
	sed -n "/^### $1/,/^### /p" "$MU_SRC/docs/ci.md" |
		sed -n "/^\`$(printf %s "$2" | sed 's/[./]/\\&/g')\`:/,/^[^ ]/{s/^    //p;}" >"$2"
	was_built "$2"
}
# both TEXT COMMAND...: passes with much room, and fails with little
both() {
	text=$1
	shift
	echo 'heap peak > 400M' >budget.txt
	ok "$text: within the limit" "$@"
	echo 'heap peak > 100' >budget.txt
	run "$@"
	isnt "$status" 0 "$text: beyond the limit"
	like "$out$err" 'heap peak > 100: .* over the limit' '... it says why'
}
program='#include <stdlib.h>
int main(void) { void *volatile p = malloc(100000); free(p); return 0; }'

if command -v cmake >found && command -v ctest >found; then
	mkdir ctest.d && cd ctest.d || exit 1
	printf '%s\n' "$program" >prog.c
	recipe ctest CMakeLists.txt
	ok 'cmake takes the recipe' cmake -B out .
	ok '... and builds it' cmake --build out
	both ctest ctest --test-dir out --output-on-failure
	cd ..
else
	skip 'no cmake here' 5
fi
if command -v meson >found && command -v ninja >found; then
	mkdir meson.d && cd meson.d || exit 1
	printf '%s\n' "$program" >prog.c
	recipe meson meson.build
	ok 'meson takes the recipe' meson setup out .
	both meson meson test -C out --print-errorlogs
	cd ..
else
	skip 'no meson here' 4
fi
if command -v cargo >found; then
	mkdir -p cargo.d/src cargo.d/.cargo && cd cargo.d || exit 1
	printf '[package]\nname = "prog"\nversion = "0.1.0"\nedition = "2021"\n' >Cargo.toml
	printf '#[test]\nfn fills() { assert_eq!(vec![1u8; 100000].len(), 100000); }\n' >src/lib.rs
	recipe cargo .cargo/config.toml
	both cargo cargo test --offline --lib
	cd ..
else
	skip 'no cargo here' 3
fi
if /usr/bin/python3 -c 'import pytest' 2>/dev/null && command -v "${CC:-gcc}" >found; then
	mkdir pytest.d && cd pytest.d || exit 1
	printf '%s\n' "$program" >prog.c
	"${CC:-gcc}" -g -o prog prog.c
	recipe pytest test_memory.py
	both pytest /usr/bin/python3 -m pytest -q -p no:cacheprovider test_memory.py
	cd ..
else
	skip 'no pytest here' 3
fi
done_testing
