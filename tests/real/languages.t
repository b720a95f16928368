#!/bin/sh
# languages.t -- What docs/languages.md says one sees of programs in other languages is seen.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint

# shows LANGUAGE PATTERN COMMAND...: the stacks of some of the 20 MB have a match
shows() {
	what=$1 pattern=$2
	shift 2
	rm -f kept.mur
	run memusage -q --record=kept.mur "$@"
	is "$status $out" '0 200' "$what: it runs as alone"
	memusageprint --tree=peak --to=folded kept.mur >folded
	num "$(awk -v p="$pattern" '$0 ~ p { n += $NF } END { print n + 0 }' folded)" -ge 19000000 \
		"$what: 200 blocks of 100,000 bytes have $pattern in their stacks"
}
# has PROGRAM
has() {
	command -v "$1" >/dev/null 2>&1 && return
	skip "no $1 here" 2
	return 1
}

cat >app.pl <<'E2'
my @kept; push @kept, "x" x (100000 + $_) for 0 .. 199; print scalar(@kept), "\n";
E2
has perl && shows perl 'Perl_sv_grow' perl app.pl
cat >app.js <<'E2'
const kept = [];
function hold(i) { kept.push(Buffer.alloc(100000 + i)); }
function fill() { for (let i = 0; i < 200; i++) hold(i); }
fill();
console.log(kept.length);
E2
has node && shows node 'JS:fill;.*JS:hold' \
	node --perf-basic-prof --interpreted-frames-native-stack app.js &&
	like "$(memusageprint --top kept.mur)" 'JS:hold \(app.js:2\)' 'node: with its line'
cat >App.java <<'E2'
import java.nio.ByteBuffer;
import java.util.ArrayList;
public class App {
	static ArrayList<ByteBuffer> kept = new ArrayList<>();
	static void hold(int i) { kept.add(ByteBuffer.allocateDirect(100000 + i)); }
	public static void main(String[] a) {
		for (int i = 0; i < 200; i++)
			hold(i);
		System.out.println(kept.size());
	}
}
E2
if has javac; then
	javac App.java
	shows java 'Unsafe_AllocateMemory0' java -XX:+UnlockDiagnosticVMOptions \
		-XX:+PreserveFramePointer -XX:+DumpPerfMapAtExit -cp . App
fi
cat >app.rs <<'E2'
#[inline(never)]
fn hold(kept: &mut Vec<Vec<u8>>, i: usize) { kept.push(vec![1u8; 100_000 + i]); }
fn main() {
	let mut kept = Vec::new();
	for i in 0..200 { hold(&mut kept, i); }
	println!("{}", kept.len());
}
E2
if has rustc; then
	rustc -g app.rs 2>/dev/null
	shows rust 'main;.*hold' ./app
fi
cat >app.rb <<'E2'
$kept = []
200.times { |i| $kept << "x" * (100000 + i) }
puts $kept.size
E2
has ruby && shows ruby 'rb_str_times' ruby app.rb
cat >app.php <<'E2'
<?php for ($i = 0; $i < 200; $i++) $kept[] = str_repeat("x", 100000 + $i); echo count($kept), "\n";
E2
has php && shows php 'zend_execute' env USE_ZEND_ALLOC=0 php app.php
cat >app.go <<'E2'
package main

// #include <stdlib.h>
// static void *hold(size_t size) { return malloc(size); }
import "C"
import "fmt"

func main() {
	for i := 0; i < 200; i++ {
		C.hold(C.size_t(100000 + i))
	}
	fmt.Println(200)
}
E2
if has go; then
	HOME=$PWD GOFLAGS=-mod=mod go build -o app.go.bin app.go
	shows go 'hold' ./app.go.bin
	memusage -q --pages-as-heap=yes --record=pages.mur ./app.go.bin >/dev/null
	like "$(memusageprint --top=3 pages.mur)" 'runtime\.\(\*[a-zA-Z]+\)\.[a-zA-Z]+' \
		'go: its pages are those of a part of its run-time'
	unlike "$(memusageprint --top=3 pages.mur)" 'mmap' '... and not of mmap'
fi
done_testing
