#!/bin/sh
# holders_stacks.t -- what only a local variable knows is held by a root that names the function, its
# line and its thread: in the main thread, in another one, in a library, in a program with and without
# optimisation; of a very deep stack the frames further out are just the thread.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/holders.sh"
need_bin memusage memusageprint
need_tracing
need_machine x86_64 'snapshots are for x86_64'
command -v jq >/dev/null || skip_all "jq is not installed"
source=$MU_SRC/tests/workloads/stack_held.c

# held NAME: bytes that frames of a function retain, by kept.json
held() {
	jq --arg name "$1" '.holders[-1] as $h | $h.retained as $t |
		def top($i): if $t[$i].parent == 0 then $i else top($t[$i].parent) end;
		[range(1; $t | length) | . as $i | $t[top($i)] as $r | select($r.root != null and
			$h.roots[$r.root].kind == "stack" and $h.roots[$r.root].name == $name) |
		$t[$i].bytes] | add // 0' kept.json
}
# root NAME MEMBER: of the root that is a frame of a function
root() {
	jq -r --arg name "$1" --arg member "$2" '[.holders[-1].roots[] |
		select(.kind == "stack" and .name == $name) | .[$member]] | unique | .[]' kept.json
}
# examine PROGRAM ARGUMENTS: what holds its blocks while it waits, as kept.json and text
examine() {
	start_held "$@"
	main=$(pids "$(basename "$1")" $launcher)
	run memusage --pid=$launcher holders kept.mur
	is "$status" 0 "holders of $(basename "$1")"
	go_on
	is $? 0 'the program is unharmed'
	memusageprint --to=json kept.mur >kept.json
	memusageprint --threshold=0 --holders=20 kept.mur >text
}

has_frames=yes
[ "${LIBDW:-yes}" = yes ] || has_frames=
compile "${CC:-cc}" -g -w -shared -fPIC -O2 -o libstackheld.so \
	"$MU_SRC/tests/workloads/libstackheld.c"
line_of() { grep -n "/\* $1 waits \*/" "$source" | cut -d: -f1; }

for level in -O0 -O2; do
	program=./held$level
	compile "${CC:-cc}" -g "$level" -w -pthread -o "$program" "$source" -ldl
	examine "$program" ./libstackheld.so
	is "$(jq '[.holders[0].retained[].bytes] | add' kept.json)" \
		"$(jq '[.sites[].live_bytes] | add' kept.json)" "$level: all blocks are in the tree"
	if [ ! "$has_frames" ]; then
		num "$(held '')" -ge 327777 'without libdw the threads have all'
		like "$(cat text)" 'the stack of the main thread$' '... and frames no names'
		continue
	fi
	is "$(held hold_in_main)" 100000 "$level: a local variable in the main thread"
	is "$(root hold_in_main thread)" "$main" '... which is named'
	is "$(root hold_in_main line)" "$(line_of main)" '... with the line of the call'
	is "$(held hold_in_thread)" 150000 "$level: one in another thread"
	isnt "$(root hold_in_thread thread)" "$main" '... which is another one'
	is "$(root hold_in_thread line)" "$(line_of thread)" '... with the line'
	is "$(held library_hold)" 77777 "$level: one in a library"
	like "$(root library_hold object)" '/libstackheld\.so$' '... which is named'
	like "$(cat text)" "the stack of the main thread, in hold_in_main \(stack_held\.c:$(line_of main)\)" \
		'in the text'
	like "$(cat text)" "the stack of thread [0-9]+, in hold_in_thread \(stack_held\.c:$(line_of thread)\)" \
		'... and of the other thread'
	like "$(memusageprint --to=dot --threshold=0 kept.mur)" \
		'label="the stack of the main thread, in hold_in_main \(stack_held\.c' \
		'in the graph'
	if has_page "$MU_BUILD"; then
		memusagestat --html=kept.html kept.mur
		like "$(grep -o 'the stack of the main thread, in hold_in_main[^"]*' kept.html)" \
			"^the stack of the main thread, in hold_in_main \(stack_held\.c:$(line_of main)\)" \
			'on the page'
	else
		skip 'this build has no HTML page'
	fi
done

# Frames beyond a bound are those of their thread; the tool neither hangs nor fails.
compile "${CC:-cc}" -g -O0 -w -pthread -o deep "$source" -ldl
examine ./deep ./libstackheld.so 20000
is "$(held hold_in_main)" 0 'the frame below 20,000 others is not found'
num "$(held '')" -ge 100000 '... and its thread has its blocks'
if [ "$has_frames" ]; then
	is "$(held hold_in_thread)" 150000 '... while other threads have frames'
fi

# A program that ends: the stack of the caller of exit().
cat >ends.c <<'EOF'
#include <stdlib.h>

__attribute__((noinline)) static void end_with(char *block)
{
	exit(block[4443]);
}

int main(int argc, char **argv)
{
	char *block = calloc(1, 4444);

	block[4443] = (char)(argc - 1);
	end_with(block);
	return block[0];
}
EOF
compile "${CC:-cc}" -g -O0 -w -o ends ends.c
memusage --quiet -o whole --record=ends.mur --holders ./ends
is $? 0 'a program that calls exit()'
memusageprint --to=json ends.mur >kept.json
[ ! "$has_frames" ] || is "$(held main)" 4444 '... has frames: of two the outer one counts'
done_testing
