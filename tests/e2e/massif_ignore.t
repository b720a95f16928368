#!/bin/sh
# massif_ignore.t -- what --ignore-fn names is left out while it is recorded: of trees, totals and
# the byte clock, for libraries opened late, inlined calls, threads and children too.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_bin memusage memusageprint
need_libdw

# last FIELD FILE: of the last snapshot
last() {
	sed -n "s/^$1=//p" "$2" | tail -1
}

# profiles OPTION...: one profile per process, out.1 (the parent) and out.2 (its child)
profiles() {
	rm -f out.*
	memusage -q --time-unit=B --detailed-freq=1 --max-snapshots=1000 --heap-admin=0 \
		--massif-out-file=out.%p "$@" "$WORKLOADS/ignore_late" "$WORKLOADS/libplain.so" \
		>/dev/null 2>err
	i=0
	# Numbers of processes begin again, at 32,768 perhaps.
	for file in $(printf '%s\n' out.* | sort -t. -k2n | awk -F. '{ name[NR] = $0; number[NR] = $2 }
			END { late = number[2] - number[1] > 10000; print name[1 + late]; print name[2 - late] }'); do
		i=$((i + 1))
		mv "$file" "profile.$i"
	done
}

profiles
is "$i" 2 'without: two profiles'
ok 'without: the library allocates' grep -q ': own_give' profile.1
all=$(last mem_heap_B profile.1)
all_time=$(last time profile.1)
all_child=$(last mem_heap_B profile.2)

profiles --ignore-fn=own_give
is "$(last mem_heap_B profile.1)" $((all - 15540)) 'a library that is opened late'
is "$(last mem_heap_B profile.2)" $((all_child - 15540)) '... and in the child'
# 777 bytes take 784.
is "$(last time profile.1)" $((all_time - 20 * 784)) '... and no time'
nok '... and no tree names it' grep -q ': own_give' profile.1

profiles --ignore-fn=thread_give --ignore-fn=child_give
is "$(last mem_heap_B profile.1)" $((all - 8000)) 'threads'
is "$(last mem_heap_B profile.2)" $((all_child - 13000)) 'a child has what its parent knew, and asks'

profiles --ignore-fn=own_give --alloc-fn=thread_give --ignore-fn=thread --record=kept
is "$(last mem_heap_B profile.1)" $((all - 23540)) 'behind an allocating function'
memusageprint --to=massif --alloc-fn=thread_give -o again kept 2>err
is "$(last mem_heap_B again)" $((all - 23540)) 'a recording that was kept knows it too'
memusageprint --to=massif --ignore-fn=main -o again kept 2>err
ok '... and can be asked to ignore more' test -s again

memusage -q --time-unit=B --massif-out-file=inline --ignore-fn=level3 "$WORKLOADS/massif_inline"
is "$(grep -c ^snapshot= inline)" 1 'inlined calls by their innermost name'
memusage -q --time-unit=B --massif-out-file=inline --ignore-fn=level2 "$WORKLOADS/massif_inline"
ok '... and not by those around it' test "$(grep -c ^snapshot= inline)" -gt 1

done_testing
