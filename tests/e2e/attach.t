#!/bin/sh
# attach.t -- memusage records a process that runs already: exactly what it does meanwhile; and leaves
# it as it was. What cannot be is refused, and said before anything is changed.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
. "$MU_SRC/tests/lib/live.sh"
. "$MU_SRC/tests/lib/attach.sh"
need_bin memusage memusageprint live
need mkfifo
need_attach
PATH=$WORKLOADS:$PATH

begin_live live
tell alloc 100 1000

# ---- what is recorded -----------------------------------------------------------------------

ok 'a process that runs is attached to' attach "$job" -v -o report --record=run.mur
tell alloc 50 2000
tell realloc 10 3000
tell free 90
tell spike 7 300
tell free 20
run memusage --pid="$job" status
is "$status" 0 'meanwhile memusage --pid answers'
detach
is "$status" 0 'Ctrl-C ends the recording, with status 0'
like "$(cat attach.err)" "process $job: its 1 thread stood for [0-9.]+ (us|ms)" \
	'-v tells how long the process stood'
like "$(cat attach.err)" "process $job runs on without the recorder" '... and that it runs on'

# Of 100 blocks of before 10 were reallocated and 90 freed; of the 60 new ones 20 were freed.
like "$(cat report)" 'heap total: 132100, heap peak: 220000,' 'what it allocated is exact, with what it had'
like "$(cat report)" '90 frees of blocks from before recording began' '... and the frees of before'
like "$(cat report)" '10 reallocs of blocks from before' '... and the reallocs'
like "$(cat report)" '80000 bytes were live at the end; 0 frees of unknown blocks' '... what is live'
like "$(cat report)" 'memusage attached to the process while it ran' 'the report says how it began'
like "$(memusageprint --top run.mur)" '^ *97.7 KiB .* 50  keep' 'call stacks are recorded'
like "$(memusageprint --top run.mur | head -1)" 'after memusage attached, while it runs' \
	'... the report tells when'

# ---- again, and how it can end -----------------------------------------------------------------

state_of "$job" >before
ok 'it can be attached to again' attach "$job" --top -o top
detach
is "$status" 0 '... and left'
state_of "$job" >after
same after before 'its mappings, descriptors, signals and code are as they were'
run memusage --attach="$job" --duration=100ms -q --record=short.mur
is "$status" 0 '--duration ends it by itself'
is "$(memusageprint short.mur >/dev/null 2>&1; echo $?)" 0 '... with a recording'
state_of "$job" >after
same after before '... and the process is as it was'
ok 'a process that ends' attach "$job" -o report --leaks
tell alloc 3 5000
end
wait "$attacher"
is "$?" 0 '... ends the recording'
like "$(cat report)" '^ *14.6 KiB .* 3  keep' '... which is reported'

# ---- limits ------------------------------------------------------------------------------------

begin_live live
tell alloc 1 1
attach "$job" --fail-if='heap total > 1M' -o judged
tell alloc 2 1000000
detach
is "$status" 100 'a limit that is exceeded meanwhile'
like "$(cat judged attach.err)" 'heap total' '... is named'
attach "$job" --fail-if='heap total > 3M' -o judged
detach
is "$status" 0 '... and one that is kept'
end

# ---- a picture ---------------------------------------------------------------------------------

if has_program memusagestat; then
	begin_live live
	tell alloc 1 1
	attach "$job" --png=run.png --data=run.dat -o drawn
	tell alloc 30 3000
	tell free 10
	detach
	is "$status" 0 '--png'
	is "$(head -c 4 run.png | tr -d '\211')" PNG '... draws what was recorded'
	ok '... and --data keeps it' memusagestat run.dat again.png
	end
else
	skip 'this build has no memusagestat' 3
fi

# ---- refusals ----------------------------------------------------------------------------------

run memusage --attach=1999999999
is "$status" 125 'a process that does not exist'
like "$err" 'cannot attach to process 1999999999: there is no such process' '... is named'
run memusage --attach=$$ --pages-as-heap=yes
like "$err" 'cannot be used together with --pages-as-heap' 'an option for a start is refused'
run memusage --attach=$$ --leak-check=full --leak-check-forks=yes
like "$err" 'cannot be used together with --leak-check-forks' '... and one for children that cannot be examined'
run memusage --attach=$$ --runs=2
like "$err" 'cannot be used together with --runs' '... and one for several starts'
run memusage --attach=$$ --trace-children=yes
like "$err" 'cannot be used together with --trace-children=yes' '... and one for programs that are executed'
run memusage --attach=$$ ls
like "$err" 'takes no program' '... and a program'
run memusage --attach=$$ --duration=soon
like "$err" 'must be a time like 30s' 'a time that is none'
run memusage --duration=1s ls
like "$err" '--duration is for --attach' '--duration without --attach'
begin_live memusage -q --record=live.mur live
tell alloc 1 1
find_collector
run memusage --attach="$pid"
is "$status" 125 'a process under memusage'
like "$err" 'ask with memusage --pid' '... is referred to --pid'
end
begin_live live
tell alloc 1 1
attach "$job" --record=first.mur
run memusage --attach="$job"
like "$err" 'it is recorded already' 'a second attacher is refused'
detach
end
done_testing
