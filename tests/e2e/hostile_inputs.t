#!/bin/sh
# no input makes a program of ours take more than 1 GB of memory, 60 s of CPU or 1 GB of disk beyond
# what its size explains
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need perl gzip

# within SECONDS KIB CMD...: runs it with so much CPU and memory; $status is 152 or 137 where the time
# was not enough. All limits are many times of what is needed.
within() {
	run sh -c 'ulimit -t "$1" && ulimit -v "$2" && ulimit -f 2097152 && shift 2 && exec "$@"' \
		- "$@"
}
holds() {
	within 60 1000000 "$@"
}

# snapshot NUMBER TIME HEAP: one of a massif.out
snapshot() {
	printf '#-----------\nsnapshot=%s\n#-----------\ntime=%s\nmem_heap_B=%s\n' "$1" "$2" "$3"
	printf 'mem_heap_extra_B=0\nmem_stacks_B=%s\nheap_tree=empty\n' "${4:-0}"
}
header() { printf 'desc: (none)\ncmd: ./a\ntime_unit: %s\n' "${1:-i}"; }

# ---- pictures ----

# Points that are 1e19 pixels beyond the end of the run.
{
	header
	snapshot 0 0 100 && snapshot 1 18446744073709551615 100000 && snapshot 2 1 100 9
} >far.massif
{
	header ms
	snapshot 0 0 100 && snapshot 1 18446744073709551615 18446744073709551000 && snapshot 2 7 1 9
} >farther.massif
# So many dashes that each of them must not be a shape.
{
	header
	perl -e 'for (0 .. 99999) {
		printf "snapshot=%d\ntime=%d\nmem_heap_B=%d\nmem_heap_extra_B=%d\n" .
			"mem_stacks_B=0\nheap_tree=empty\n", $_, $_, $_ % 2 * 1e6, $_ % 2 * 1e5 }'
} >dense.massif
draw() {
	for output in png svg ps eps; do
		for theme in light dark; do
			holds memusagestat --theme="$theme" -o "picture.$output" "$1"
			is "$status $err" '0 ' "$1 is drawn as $output, $theme"
			num "$(wc -c <"picture.$output")" -lt 1000000 "$1: a small $output"
		done
	done
	holds memusagestat "$1" picture.png
	is "$status $err" '0 ' "$1 is drawn by default"
}
if has_program memusagestat; then
	for file in far farther dense; do
		draw "$file.massif"
	done
else
	skip 'this build has no memusagestat'
fi

done_testing
